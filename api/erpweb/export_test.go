package erpweb

import "testing"

func TestNoCellIsAFormula(t *testing.T) {
	t.Parallel()
	for cell, want := range map[string]string{
		"": "", "tea": "tea", "茶": "茶", "-1.50": "-1.50", "a=1": "a=1",
		"=1+1": "'=1+1", "+1+1": "'+1+1", "-2+3": "'-2+3", "@SUM(A1)": "'@SUM(A1)", "\t=1": "'\t=1", "\n=1": "'\n=1",
		"＝1+1": "'＝1+1", "＋1": "'＋1", "－1+2": "'－1+2", "＠x": "'＠x",
	} {
		if got := harmless(cell); got != want {
			t.Errorf("%q became %q, want %q", cell, got, want)
		}
	}
}
