package demo

import (
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"time"

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
	Orders         []Order
	// Ledger is in the order of time; its sums are the stock on hand, never below zero.
	Ledger []Move
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
}

// Product of a tenant. Price is in hundredths of the currency.
type Product struct {
	Code, Name, NameEn, Category, Unit, UnitEn, Status string
	Scale                                              int
	Price                                              int64
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

// Order is a sales order; Total is in hundredths.
type Order struct {
	Number, Customer, Warehouse, Status, CreatedBy string
	OrderDate, DeliveryDate                        time.Time
	Lines                                          []Line
	Total                                          int64
}

// Line of an order. Base and Amount are in hundredths, UnitPrice in ten-thousandths.
type Line struct {
	Product, ProductName, Unit string
	Quantity, Discount         int64
	Base, UnitPrice, Amount    int64
}

// Move is one row of the stock ledger; negative takes away.
type Move struct {
	Product, Warehouse, Reason, Document string
	Quantity                             int64
	At                                   time.Time
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

// Generate makes all tenants, in the order of Tenants.
func Generate() []Tenant {
	out := make([]Tenant, len(companies))
	for i, c := range companies {
		out[i] = generate(c)
	}
	return out
}

func generate(c company) Tenant {
	t := Tenant{
		Tenant: identity.Tenant{BrandID: c.brand, SubsidiaryID: c.subsidiary},
		NameZh: c.zh, NameEn: c.en, Currency: "CNY", TimeZone: "Asia/Shanghai", Users: People(),
		Warehouses: []Warehouse{
			{Code: "WH-01", Name: "主仓", NameEn: "Main warehouse", Default: true},
			{Code: "WH-02", Name: "二号仓", NameEn: "Second warehouse"},
		},
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(t.Tenant.String())) // a hash never fails
	r := rand.New(rand.NewPCG(h.Sum64(), 20261130))
	t.Customers = makeCustomers(r, c)
	t.Products = makeProducts(r)
	t.Discounts = makeDiscounts(r, t)
	s := &sales{r: r, t: &t, stock: map[[2]string]int64{}}
	s.run()
	return t
}

// People are the users of a tenant, the same four in each.
func People() []User {
	grants := func(form string, actions ...string) []identity.Grant {
		out := make([]identity.Grant, len(actions))
		for i, a := range actions {
			out[i] = identity.Grant{Form: form, Action: a}
		}
		return out
	}
	clerk := slices.Concat(grants("customer", "read", "update"), grants("product", "read"), grants("customer_discount", "read"), grants("stock", "read"),
		grants("sales_order", "read", "create", "cancel"))
	all := slices.Concat(grants("customer", "*"), grants("product", "*"), grants("customer_discount", "*"), grants("stock", "*"), grants("sales_order", "*"))
	return []User{
		{"li", "李娜", "Li Na", []string{"clerk"}, identity.Chinese, clerk},
		{"wang", "王强", "Wang Qiang", []string{"approver"}, identity.Chinese, all},
		{"smith", "史密斯", "John Smith", []string{"clerk"}, identity.English, clerk},
		{"guest", "访客", "Guest", nil, identity.Chinese, grants("customer", "read")},
	}
}
