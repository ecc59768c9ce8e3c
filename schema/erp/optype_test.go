package erp_test

import (
	"testing"

	"github.com/erpilot/erpilot/schema/erp"
)

func TestEachActionHasItsKind(t *testing.T) {
	t.Parallel()
	for action, want := range map[string]erp.OpType{"create": erp.OpCreate, "update": erp.OpUpdate, "delete": erp.OpDelete,
		"examine": erp.OpExamine, "unexamine": erp.OpExamine, "generate": erp.OpGenerate, "cancel": erp.OpAction, "submit": erp.OpAction} {
		if got := erp.OpTypeOf(action); got != want {
			t.Errorf("%s is %s", action, got)
		}
	}
}
