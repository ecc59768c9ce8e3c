package operation

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/erpilot/erpilot/schema/erp"
)

func seen() Seen {
	return Seen{Tenant: "a.b", Requester: "li", OpID: "op", Revision: 1, Form: "sales_order", Action: "create", DraftID: "d", DraftRevision: 2,
		AutoExecute: true, Payload: json.RawMessage(`{"b":"1","a":"2"}`), Deadline: noon, Policy: "self", ToolSchemaVersion: 1,
		Preview: erp.Preview{Form: "sales_order", Total: "12.5", Facts: []erp.Fact{{Kind: erp.FactPrice, Key: "P-1", Value: "3"}}}}
}

func digest(t *testing.T, s Seen) string {
	t.Helper()
	d, err := Digest(s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestTheDigestDoesNotDependOnHowThingsAreWritten(t *testing.T) {
	t.Parallel()
	want := digest(t, seen())
	s := seen()
	s.Payload = json.RawMessage(" {\n \"a\": \"2\", \"b\": \"1\" } ")
	if digest(t, s) != want {
		t.Error("order and spaces of the payload change it")
	}
	s = seen()
	s.Deadline = noon.In(time.FixedZone("CST", 8*3600)).Add(300 * time.Millisecond)
	if digest(t, s) != want {
		t.Error("the time zone changes it")
	}
	s = seen()
	s.Preview.Object = "Cafe\u0301"
	composed := seen()
	composed.Preview.Object = "Caf\u00e9"
	if digest(t, s) != digest(t, composed) {
		t.Error("the form of composed letters changes it")
	}
}

// TestTheDigestCoversEverything changes each field of what was seen, however
// deep, and expects another digest.
func TestTheDigestCoversEverything(t *testing.T) {
	t.Parallel()
	want := digest(t, seen())
	base := reflect.TypeFor[Seen]()
	for i := range base.NumField() {
		s := seen()
		f := reflect.ValueOf(&s).Elem().Field(i)
		switch v := f.Addr().Interface().(type) {
		case *string:
			*v += "x"
		case *int:
			*v++
		case *bool:
			*v = !*v
		case *json.RawMessage:
			*v = json.RawMessage(`{"a":"2","b":"10"}`)
		case *time.Time:
			*v = v.Add(time.Second)
		case *erp.Preview:
			v.Facts[0].Value = "4"
		default:
			t.Fatalf("field %s is not covered by this test", base.Field(i).Name)
		}
		if digest(t, s) == want {
			t.Errorf("%s is not in the digest", base.Field(i).Name)
		}
	}
}

func TestClientTokensNameOperationAndRevision(t *testing.T) {
	t.Parallel()
	if got := ClientToken("x", 3); got != "op:x:3" {
		t.Errorf("token %q", got)
	}
}
