package model

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/gowebpki/jcs"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/tool"
	"github.com/erpilot/erpilot/schema/turn"
)

// MaxArgumentBytes bounds the arguments of one call.
const MaxArgumentBytes = 256 << 10

// Validate checks a call against the catalogue. It returns the canonical
// arguments (RFC 8785) and the fingerprint: hex SHA-256 over tool name, schema
// version and canonical arguments, one per line.
//
// The error is tool_unknown or arguments_invalid; its Params["tool"] names the
// tool and Params["detail"] tells the model, in English, what is wrong and what
// is expected. Nothing is repaired: no {} for malformed JSON, no rounding of
// numbers, no last-one-wins for a name given twice.
func Validate(cat tool.Catalogue, rc turn.RequestCall) (canonical []byte, fingerprint string, err *fault.Error) {
	t, ok := cat.Find(rc.Tool)
	if !ok {
		names := make([]string, 0, len(cat))
		for _, x := range cat {
			names = append(names, x.Name)
		}
		return nil, "", fault.New(fault.ToolUnknown, "tool", short(rc.Tool, 64),
			"detail", fmt.Sprintf("There is no tool %q. Tools: %s.", short(rc.Tool, 64), strings.Join(names, ", ")))
	}
	refuse := func(detail string) (_ []byte, _ string, _ *fault.Error) {
		return nil, "", fault.New(fault.ArgumentsInvalid, "tool", t.Name, "detail", short(detail, maxDetail))
	}
	raw := []byte(rc.Arguments)
	if detail := strict(raw); detail != "" {
		return refuse(detail)
	}
	schema, cerr := compiled(t)
	if cerr != nil {
		return nil, "", fault.Wrap(fault.Internal, cerr, "tool", t.Name)
	}
	value, jerr := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if jerr != nil {
		return refuse("The arguments are not valid JSON.")
	}
	if verr := schema.Validate(value); verr != nil {
		return refuse(explain(verr))
	}
	canonical, jerr = jcs.Transform(raw)
	if jerr != nil {
		return refuse("The arguments are not valid JSON: " + jerr.Error())
	}
	return canonical, Fingerprint(t, canonical), nil
}

// Fingerprint identifies canonical arguments under one version of a tool.
func Fingerprint(t tool.Tool, canonical []byte) string {
	h := sha256.New()
	h.Write([]byte(t.Name + "\n" + strconv.Itoa(t.SchemaVersion) + "\n"))
	h.Write(canonical)
	return hex.EncodeToString(h.Sum(nil))
}

// schemas caches compiled schemas. The key holds the schema's own hash, so that
// two catalogues in one process cannot take each other's.
var schemas sync.Map

type schemaKey struct {
	name    string
	version int
	sum     [sha256.Size]byte
}

func compiled(t tool.Tool) (*jsonschema.Schema, error) {
	key := schemaKey{t.Name, t.SchemaVersion, sha256.Sum256(t.Parameters)}
	if s, ok := schemas.Load(key); ok {
		return s.(*jsonschema.Schema), nil
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(t.Parameters))
	if err != nil {
		return nil, fmt.Errorf("schema of %s: %w", t.Name, err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	// A schema stands alone: nothing is ever loaded from a file or the network.
	c.UseLoader(jsonschema.SchemeURLLoader{})
	const where = "erpilot:tool"
	if err := c.AddResource(where, doc); err != nil {
		return nil, fmt.Errorf("schema of %s: %w", t.Name, err)
	}
	s, err := c.Compile(where)
	if err != nil {
		return nil, fmt.Errorf("schema of %s: %w", t.Name, err)
	}
	schemas.Store(key, s)
	return s, nil
}
