package planner

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNumbersAreReadExactly(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"10": "10", "2.50": "2.5", "1,200": "1200", "１２": "12", "十": "10", "十二": "12", "二十": "20", "两百": "200", "一百二十": "120", "三千": "3000",
		"20万": "200000", "1.5 万": "15000", "两亿": "200000000", "12345678901234567890.25": "12345678901234567890.25",
		"": "", "x": "", "1e9": "", "-1": "", "1.2.3": "", "一二": "", "十个": "",
	} {
		got, ok := number(in)
		if got != want || ok != (want != "") {
			t.Errorf("%q: %q %v, want %q", in, got, ok, want)
		}
	}
}

func TestOrderLinesAreCutAtTheirSeparators(t *testing.T) {
	t.Parallel()
	a, b := line{"10", "箱", "A"}, line{"5", "箱", "B"}
	for in, want := range map[string][]line{
		"10 箱 A、5 箱 B":                               {a, b},
		"10箱A，5箱B。":                                  {a, b},
		"10箱A,5箱B":                                   {a, b},
		"10箱A;5箱B;":                                  {a, b},
		"A 10箱 和 B 5箱":                               {a, b},
		"10箱A以及5箱B":                                  {a, b},
		"1,200 箱 A":                                  {{"1200", "箱", "A"}},
		"10 boxes of A, 5 boxes of B":                {{"10", "boxes", "A"}, {"5", "boxes", "B"}},
		"10 x A and 5 x B":                           {{"10", "", "A"}, {"5", "", "B"}},
		"A x 10, B x 5":                              {{"10", "", "A"}, {"5", "", "B"}},
		"10 500g Green Tea":                          {{"10", "", "500g Green Tea"}},
		"10 boxes of Oat Milk, 250 ml, 5 A, Premium": {{"10", "boxes", "Oat Milk, 250 ml"}, {"5", "", "A, Premium"}},
		"10 箱 椰子水 1.5L、椰子水 250ml 5箱":                 {{"10", "箱", "椰子水 1.5L"}, {"5", "箱", "椰子水 250ml"}},
		"10 boxes of Tea, Grade 1, 5 B":              {{"10", "boxes", "Tea, Grade 1"}, {"5", "", "B"}},
		"Tea, Premium x 10, B x 5":                   {{"10", "", "Tea, Premium"}, {"5", "", "B"}},
		"3 kg of Fish and Chips":                     {{"3", "kg", "Fish and Chips"}},
		"3 Bagels":                                   {{"3", "", "Bagels"}},
		"2 箱 盐和胡椒、1 瓶 油":                             {{"2", "箱", "盐和胡椒"}, {"1", "瓶", "油"}},
	} {
		o := parseOrder(in)
		if diff := cmp.Diff(want, o.lines, cmp.AllowUnexported(line{})); diff != "" || o.unclear != "" {
			t.Errorf("%q (-want +got):\n%s%s", in, diff, o.unclear)
		}
	}
	for _, in := range []string{"A", "一些 A", "一点盐", "10", "五十", "10.5", "P-0001", "SO-2026-1", "A10"} {
		if o := parseOrder(in); o.unclear == "" {
			t.Errorf("%q gives %+v", in, o)
		}
	}
}

// FuzzPlan holds for any message: an answer or calls, no panic.
func FuzzPlan(f *testing.F) {
	for _, s := range []string{"", "给A下一张订单：10 箱 B、5 箱 C", "Create an order for A: 10 boxes of B", "取消订单 SO-1", "把A的电话改成1", "东", "的的的订单", ":", "order  for ", "给下单", "\xff\xfe", "'s orders"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := &session{text: text}
		if st := s.plan(); st.text == "" && len(st.calls) == 0 {
			t.Errorf("%q gives nothing", text)
		}
	})
}
