package operation

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"time"

	"github.com/gowebpki/jcs"
	"golang.org/x/text/unicode/norm"

	"github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/fault"
)

// Seen is all that the digest covers: what the person saw and what will run.
type Seen struct {
	Tenant            string          `json:"tenant"`
	Requester         string          `json:"requester"`
	OpID              string          `json:"op_id"`
	Revision          int             `json:"revision"`
	Form              string          `json:"form"`
	Action            string          `json:"action"`
	Target            string          `json:"target"`
	DraftID           string          `json:"draft_id"`
	DraftRevision     int             `json:"draft_revision"`
	AutoExecute       bool            `json:"auto_execute"`
	Payload           json.RawMessage `json:"payload"`
	Preview           erp.Preview     `json:"preview"`
	Deadline          time.Time       `json:"deadline"`
	Policy            string          `json:"policy"`
	ToolSchemaVersion int             `json:"tool_schema_version"`
}

// Digest is the hex SHA-256 over the canonical JSON (RFC 8785) of what was
// seen, text in NFC, times in UTC to the second. Decimals are normalised
// strings already when they enter a preview.
func Digest(s Seen) (string, error) {
	s.Deadline = s.Deadline.UTC().Truncate(time.Second)
	raw, err := json.Marshal(s)
	if err != nil {
		return "", fault.Wrap(fault.Internal, err)
	}
	canonical, err := jcs.Transform(norm.NFC.Bytes(raw))
	if err != nil {
		return "", fault.Wrap(fault.Internal, err)
	}
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:]), nil
}

// ClientToken is the idempotency key of a write: made before the first attempt,
// the same for every attempt of the revision.
func ClientToken(opID string, revision int) string {
	return "op:" + opID + ":" + strconv.Itoa(revision)
}
