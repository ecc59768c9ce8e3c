package identity_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/identity"
)

func TestTenantReadsWhatItWrites(t *testing.T) {
	t.Parallel()
	want := identity.Tenant{BrandID: "acme-1", SubsidiaryID: "0east"}
	got, err := identity.ParseTenant(want.String())
	if err != nil || got != want || got.IsZero() || !(identity.Tenant{}).IsZero() {
		t.Errorf("got %v %v", got, err)
	}
}

// The id goes into SET LOCAL unquoted, so nothing else may pass.
func TestTenantOfAnyOtherShapeIsInvalid(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"", ".", "a", "a.", ".b", "a.b.c", "A.b", "a.B", "a b.c", "a'.b", "a.b'; --", "-a.b", "a.-b", "a.b\n", "ａ.b",
		strings.Repeat("a", 33) + ".b", "a." + strings.Repeat("b", 33), "a\x00.b"} {
		if got, err := identity.ParseTenant(s); fault.CodeOf(err) != fault.Invalid || !got.IsZero() {
			t.Errorf("%q: %v %v", s, got, err)
		}
	}
}

func TestGrants(t *testing.T) {
	t.Parallel()
	g := identity.Grants{{Form: "customer", Action: "read"}, {Form: "order", Action: "*"}, {Form: "stock", Action: "adjust"}, {Form: "customer", Action: "update"}}
	for _, c := range []struct {
		form, action string
		want         bool
	}{
		{"customer", "read", true}, {"customer", "update", true}, {"customer", "delete", false}, {"customer", "*", false},
		{"order", "read", true}, {"order", "cancel", true}, {"stock", "read", false}, {"", "read", false}, {"order", "", true},
	} {
		if got := g.Allows(c.form, c.action); got != c.want {
			t.Errorf("%s %s: %v", c.form, c.action, got)
		}
	}
	if diff := cmp.Diff([]string{"customer", "order"}, g.Forms()); diff != "" {
		t.Error(diff)
	}
	if (identity.Grants)(nil).Allows("customer", "read") {
		t.Error("no grants allow something")
	}
}

func TestTheFirstLanguageOfOursIsAccepted(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]identity.Locale{
		"": identity.English, "fr, de": identity.English, "en-GB,zh;q=0.8": identity.English, "ZH-Hans-CN": identity.Chinese, "fr, zh;q=0.5, en;q=0.9": identity.Chinese,
	} {
		if got := identity.AcceptedLocale(header, identity.English); got != want {
			t.Errorf("%q gives %s, want %s", header, got, want)
		}
	}
}
