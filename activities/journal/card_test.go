package journal_test

import (
	"testing"

	"github.com/erpilot/erpilot/activities/journal"
	"github.com/erpilot/erpilot/activities/store/pgdb"
	"github.com/erpilot/erpilot/schema/erp"
)

func TestACardNamesTheDraftThatWasProposed(t *testing.T) {
	t.Parallel()
	id, revision := "d-1", int32(3)
	c := journal.Card(pgdb.Operation{DraftID: &id, DraftRevision: &revision}, "", erp.Capabilities{})
	if c.DraftID != id || c.DraftRevision != 3 {
		t.Errorf("draft %q at revision %d", c.DraftID, c.DraftRevision)
	}
	if c = journal.Card(pgdb.Operation{}, "", erp.Capabilities{}); c.DraftID != "" || c.DraftRevision != 0 {
		t.Errorf("without a draft: %q at revision %d", c.DraftID, c.DraftRevision)
	}
}
