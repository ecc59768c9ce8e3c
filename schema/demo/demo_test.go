package demo_test

import (
	"strings"
	"testing"

	"github.com/erpilot/erpilot/schema/demo"
)

func TestNamesOfTheTourStandAlone(t *testing.T) {
	t.Parallel()
	for _, x := range demo.Companies(1) {
		names := map[string]bool{}
		for _, p := range x.Products {
			if names[p.Name] || names[p.NameEn] {
				t.Errorf("%s: %s comes twice", x.Tenant, p.Name)
			}
			names[p.Name], names[p.NameEn] = true, true
			if p.Code != "P-0001" && (strings.Contains(p.Name, "龙井") || strings.Contains(p.NameEn, "Longjing")) ||
				p.Code != "P-0002" && (strings.Contains(p.Name, "茉莉") || strings.Contains(p.NameEn, "Jasmine")) {
				t.Errorf("%s: %s is like a product of the tour", x.Tenant, p.Name)
			}
		}
		for _, c := range x.Customers {
			if names[c.Name] {
				t.Errorf("%s: %s comes twice", x.Tenant, c.Name)
			}
			names[c.Name] = true
			if c.Code != "C-0001" && strings.Contains(c.Name, "晨光") {
				t.Errorf("%s: %s is like the customer of the tour", x.Tenant, c.Name)
			}
		}
	}
	first := demo.Companies(1)[0]
	if c := first.Customers[0]; c.Name != "上海晨光贸易有限公司" || c.Region != "east" || !c.Active {
		t.Errorf("the customer of the tour is %+v", c)
	}
}

func TestFirstSupplierSellsWhatTheTourPurchases(t *testing.T) {
	t.Parallel()
	for _, x := range demo.Companies(1) {
		asked := map[string]bool{}
		for _, o := range x.SupplierPrices {
			if o.Supplier == "S-0001" {
				asked[o.Product] = true
			}
		}
		if !asked["P-0001"] || !asked["P-0002"] {
			t.Errorf("%s: S-0001 has no price for P-0001 and P-0002", x.Tenant)
		}
	}
}

func TestStockIsNeverNegativeAndTenantsOverlapInCodesOnly(t *testing.T) {
	t.Parallel()
	all := demo.Companies(1)
	for _, x := range all {
		y, stock := whole(x), map[[2]string]int64{}
		for _, m := range y.Ledger {
			k := [2]string{m.Product, m.Warehouse}
			if stock[k] += m.Quantity; stock[k] < 0 || stock[k] != m.Balance {
				t.Fatalf("%s: %v is at %d with %+v", x.Tenant, k, stock[k], m)
			}
		}
		for _, s := range y.Stock {
			if s.Quantity != stock[[2]string{s.Product, s.Warehouse}] || s.Allocated < 0 || s.Allocated > s.Quantity {
				t.Errorf("%s: %+v, the ledger says %d", x.Tenant, s, stock[[2]string{s.Product, s.Warehouse}])
			}
			if want := map[string]int64{"P-0001": 500_000, "P-0002": 320_000}[s.Product]; want != 0 && s.Warehouse == "WH-01" && s.Quantity-s.Allocated != want {
				t.Errorf("%s: of %s %d are free", x.Tenant, s.Product, s.Quantity-s.Allocated)
			}
		}
	}
	for i := 1; i < len(all); i++ {
		if all[0].Customers[0].Code != all[i].Customers[0].Code || all[0].Customers[0].Name == all[i].Customers[0].Name {
			t.Errorf("%s and %s: %s, %s", all[0].Tenant, all[i].Tenant, all[0].Customers[0].Name, all[i].Customers[0].Name)
		}
	}
}
