package operation

import (
	"testing"

	schema "github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/text"
)

func TestLinesShowPricesAndStockOnlyWhereThereAre(t *testing.T) {
	t.Parallel()
	say := func(key string, params map[string]string) string { return text.Details[key].In("en", params) }
	priced := schema.Line{ProductName: "Tea", Quantity: "10", Unit: "box", UnitPrice: "120", Discount: "5", Amount: "1140"}
	stocked := schema.Line{ProductName: "Tea", Quantity: "-5", Unit: "box", StockBefore: "500", StockAfter: "495"}
	both := priced
	both.StockBefore, both.StockAfter = "500", "490"
	for want, l := range map[string]schema.Line{
		"| Product | Quantity | Unit price | Discount | Amount |\n| --- | ---: | ---: | ---: | ---: |\n| Tea | 10 box | 120.00 | −5% | 1,140.00 |\n":                           priced,
		"| Product | Quantity | Stock |\n| --- | ---: | --- |\n| Tea | -5 box | 500 → 495 |\n":                                                                                 stocked,
		"| Product | Quantity | Unit price | Discount | Amount | Stock |\n| --- | ---: | ---: | ---: | ---: | --- |\n| Tea | 10 box | 120.00 | −5% | 1,140.00 | 500 → 490 |\n": both,
		"| Product | Quantity |\n| --- | ---: |\n| Tea | 1  |\n":                                                                                                               {ProductName: "Tea", Quantity: "1"},
	} {
		if got := lineTable([]schema.Line{l}, say); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}
