package demo

import (
	"hash/fnv"
	"math/rand/v2"

	"github.com/erpilot/erpilot/schema/identity"
)

// Password is the password of every demo user. Demo logins exist only where demo
// data was loaded.
const Password = "demo1234"

const (
	customers = 220
	products  = 320
	orders    = 5200
)

// Tenant is one demo subsidiary with everything in it.
type Tenant struct {
	Tenant         identity.Tenant
	NameZh, NameEn string
	Currency       string
	TimeZone       string
	Users          []User
	Customers      []Customer
	Products       []Product
	Discounts      []Discount
	Warehouses     []Warehouse
	Currencies     []Currency
	Rates          []Rate
	Taxes          []Tax
	Units          []Unit
	Prices         []ListPrice
	Suppliers      []Supplier
	SupplierPrices []SupplierPrice
	Materials      []Material
	// orders of the year; stream goes on where the masters ended, seed begins all others.
	orders, scale int
	stream        rand.PCG
	seed          uint64
}

// User is a person with a grant list: form and action, "*" is every action.
type User struct {
	UserID, NameZh, NameEn string
	Roles                  []string
	Locale                 identity.Locale
	Grants                 []identity.Grant
}

// Customer of a tenant. CreditLimit is in whole units of the currency.
type Customer struct {
	Code, Name, NameEn, Region, Contact, Phone, Email string
	CreditLimit                                       int64
	Active                                            bool
	Currency                                          string
	PaymentDays                                       int
	TaxExempt                                         bool
}

// Product of a tenant. Price is in hundredths of the currency.
type Product struct {
	Code, Name, NameEn, Category, Unit, UnitEn, Status string
	Scale                                              int
	Price                                              int64
	Tax                                                string
	Made                                               bool
}

// Discount takes Percent (0 to 100) off; Product "" means all products.
type Discount struct {
	Customer, Product string
	Percent           int64
}

// Warehouse of a tenant; orders that name none use the default one.
type Warehouse struct {
	Code, Name, NameEn string
	Default            bool
}

// company is what is fixed about a demo tenant.
type company struct {
	brand, subsidiary, zh, en string
	// first names customer C-0001.
	firstZh, firstEn, firstRegion string
}

var companies = []company{
	{"yunfan", "shanghai", "云帆（上海）", "Yunfan (Shanghai)", "上海晨光贸易有限公司", "Shanghai Chenguang Trading Co., Ltd.", "east"},
	{"yunfan", "shenzhen", "云帆（深圳）", "Yunfan (Shenzhen)", "深圳鹏程商贸有限公司", "Shenzhen Pengcheng Commerce Co., Ltd.", "south"},
	{"hengtai", "shanghai", "恒泰（上海）", "Hengtai (Shanghai)", "上海浦江食品有限公司", "Shanghai Pujiang Foods Co., Ltd.", "east"},
	{"hengtai", "shenzhen", "恒泰（深圳）", "Hengtai (Shenzhen)", "深圳南山茶业有限公司", "Shenzhen Nanshan Tea Co., Ltd.", "south"},
}

// Tenants lists the demo tenants; the first is the one of the tour.
func Tenants() []identity.Tenant {
	out := make([]identity.Tenant, len(companies))
	for i, c := range companies {
		out[i] = identity.Tenant{BrandID: c.brand, SubsidiaryID: c.subsidiary}
	}
	return out
}

// Companies makes all tenants, in the order of Tenants, with their masters; Year
// makes their documents. scale 1 to 1000 multiplies the documents: at 1 the first
// company has some 20,000 and each of the others an eighth of it.
func Companies(scale int) []Tenant {
	out := make([]Tenant, len(companies))
	for i, c := range companies {
		out[i] = generate(c, scale)
		if i > 0 {
			out[i].orders /= 8
		}
	}
	return out
}

func generate(c company, scale int) Tenant {
	scale = min(max(scale, 1), 1000)
	t := Tenant{
		Tenant: identity.Tenant{BrandID: c.brand, SubsidiaryID: c.subsidiary},
		NameZh: c.zh, NameEn: c.en, Currency: "CNY", TimeZone: "Asia/Shanghai", Users: People(),
		Warehouses: []Warehouse{
			{Code: "WH-01", Name: "主仓", NameEn: "Main warehouse", Default: true},
			{Code: "WH-02", Name: "二号仓", NameEn: "Second warehouse"},
		},
		orders: orders * scale, scale: scale,
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(t.Tenant.String())) // a hash never fails
	t.seed = h.Sum64()
	pcg := rand.NewPCG(t.seed, 20261130)
	r := rand.New(pcg)
	t.Customers = makeCustomers(r, c, customers)
	t.Products = makeProducts(r)
	t.Discounts = makeDiscounts(r, t)
	t.stream = *pcg
	if more := customers * (min(scale, 10) - 1); more > 0 {
		t.Customers = append(t.Customers, makeMore(t, c, more)...)
	}
	t.masters(rand.New(rand.NewPCG(t.seed, 20251201)))
	return t
}
