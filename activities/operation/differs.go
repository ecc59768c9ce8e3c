package operation

import (
	"bytes"
	"encoding/json"

	"github.com/gowebpki/jcs"

	schema "github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/fault"
)

// differs compares what was approved with what a person saves: in any value, and
// in one that needs a new approval. Both payloads are complete and normalised by
// the ERP. Of an update only what it changes counts, so that a form that sends the
// whole record says no more than one that sends a field.
func differs(form schema.Form, approved, saved schema.Preview) (changed, governed bool, err error) {
	var all, ruled [2]map[string]json.RawMessage
	for i, p := range []schema.Preview{approved, saved} {
		if all[i], err = (schema.Form{}).Governed(p.Payload); err != nil {
			return false, false, fault.Wrap(fault.Internal, err)
		}
		if ruled[i], err = form.Governed(p.Payload); err != nil {
			return false, false, fault.Wrap(fault.Internal, err)
		}
		if p.Action != "update" {
			continue
		}
		for name := range all[i] {
			if !changes(p, name) {
				delete(all[i], name)
				delete(ruled[i], name)
			}
		}
	}
	if changed, err = unequal(all); err != nil {
		return false, false, err
	}
	governed, err = unequal(ruled)
	return changed, governed, err
}

func changes(p schema.Preview, field string) bool {
	for _, d := range p.Diffs {
		if d.Field == field && !d.Derived {
			return true
		}
	}
	return false
}

func unequal(values [2]map[string]json.RawMessage) (bool, error) {
	var canonical [2][]byte
	for i, v := range values {
		raw, err := json.Marshal(v)
		if err == nil {
			canonical[i], err = jcs.Transform(raw)
		}
		if err != nil {
			return false, fault.Wrap(fault.Internal, err)
		}
	}
	return !bytes.Equal(canonical[0], canonical[1]), nil
}
