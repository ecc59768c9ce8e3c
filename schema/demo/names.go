package demo

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// word is a piece of a name in both languages.
type word struct{ zh, en string }

var regions = []struct {
	region string
	// weight of 100 customers.
	weight int
	cities []word
}{
	{"east", 34, []word{{"上海", "Shanghai"}, {"杭州", "Hangzhou"}, {"苏州", "Suzhou"}, {"南京", "Nanjing"}, {"宁波", "Ningbo"}, {"合肥", "Hefei"}, {"无锡", "Wuxi"}}},
	{"south", 22, []word{{"深圳", "Shenzhen"}, {"广州", "Guangzhou"}, {"东莞", "Dongguan"}, {"厦门", "Xiamen"}, {"佛山", "Foshan"}}},
	{"north", 16, []word{{"北京", "Beijing"}, {"天津", "Tianjin"}, {"青岛", "Qingdao"}, {"石家庄", "Shijiazhuang"}}},
	{"southwest", 11, []word{{"成都", "Chengdu"}, {"重庆", "Chongqing"}, {"昆明", "Kunming"}}},
	{"central", 11, []word{{"武汉", "Wuhan"}, {"长沙", "Changsha"}, {"郑州", "Zhengzhou"}}},
	{"northwest", 6, []word{{"西安", "Xi'an"}, {"兰州", "Lanzhou"}}},
}

var firms = []word{
	{"金禾", "Jinhe"}, {"瑞丰", "Ruifeng"}, {"宏远", "Hongyuan"}, {"天润", "Tianrun"}, {"嘉和", "Jiahe"}, {"万盛", "Wansheng"}, {"隆昌", "Longchang"},
	{"德馨", "Dexin"}, {"福源", "Fuyuan"}, {"聚鑫", "Juxin"}, {"华茂", "Huamao"}, {"锦程", "Jincheng"}, {"永安", "Yong'an"}, {"汇通", "Huitong"},
	{"盛世", "Shengshi"}, {"百川", "Baichuan"}, {"同庆", "Tongqing"}, {"新元", "Xinyuan"}, {"翠微", "Cuiwei"}, {"明月", "Mingyue"}, {"清泉", "Qingquan"},
	{"佳味", "Jiawei"}, {"广源", "Guangyuan"}, {"利民", "Limin"}, {"振兴", "Zhenxing"}, {"远航", "Yuanhang"}, {"顺达", "Shunda"}, {"启明", "Qiming"},
	{"中和", "Zhonghe"}, {"安泰", "Antai"},
}

var trades = []word{
	{"贸易", "Trading"}, {"商贸", "Commerce"}, {"食品", "Foods"}, {"茶业", "Tea"}, {"供应链", "Supply Chain"}, {"超市", "Supermarkets"},
	{"酒店用品", "Hotel Supplies"}, {"进出口", "Import & Export"},
}

var surnames = []word{{"张", "zhang"}, {"刘", "liu"}, {"陈", "chen"}, {"杨", "yang"}, {"赵", "zhao"}, {"黄", "huang"}, {"周", "zhou"}, {"吴", "wu"},
	{"徐", "xu"}, {"孙", "sun"}, {"马", "ma"}, {"朱", "zhu"}, {"胡", "hu"}, {"林", "lin"}, {"郭", "guo"}, {"何", "he"}}

var given = []word{{"伟", "wei"}, {"芳", "fang"}, {"敏", "min"}, {"静", "jing"}, {"磊", "lei"}, {"洋", "yang"}, {"艳", "yan"}, {"勇", "yong"}, {"杰", "jie"},
	{"婷", "ting"}, {"浩", "hao"}, {"丽华", "lihua"}, {"建国", "jianguo"}, {"晓明", "xiaoming"}}

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

// makeCustomers gives each a name of its own; C-0001 has its fixed one.
func makeCustomers(r *rand.Rand, c company, n int) []Customer {
	return moreCustomers(r, c, nil, n)
}

// makeMore adds to the customers that are there, from a generator of its own.
func makeMore(t Tenant, c company, n int) []Customer {
	return moreCustomers(rand.New(rand.NewPCG(t.seed, 20251130)), c, t.Customers, n)
}

func moreCustomers(r *rand.Rand, c company, before []Customer, count int) []Customer {
	out := make([]Customer, 0, count)
	taken := map[string]bool{c.firstZh: true}
	for _, x := range before {
		taken[x.Name] = true
	}
	for i := len(before); i < len(before)+count; i++ {
		x := Customer{Code: fmt.Sprintf("C-%04d", i+1), Active: i == 0 || r.IntN(100) >= 4, CreditLimit: int64(1+r.IntN(50)) * 10000}
		person, first := pick(r, surnames), pick(r, given)
		x.Contact = person.zh + first.zh
		x.Phone = fmt.Sprintf("1%d%09d", 3+r.IntN(7), r.IntN(1_000_000_000))
		x.Email = fmt.Sprintf("%s.%s@c%04d.example", first.en, person.en, i+1)
		if i == 0 {
			x.Name, x.NameEn, x.Region = c.firstZh, c.firstEn, c.firstRegion
		}
		for x.Name == "" {
			n := r.IntN(100)
			for _, reg := range regions {
				if n -= reg.weight; n >= 0 {
					continue
				}
				city, firm, trade := pick(r, reg.cities), pick(r, firms), pick(r, trades)
				if name := city.zh + firm.zh + trade.zh + "有限公司"; !taken[name] {
					taken[name] = true
					x.Name, x.Region = name, reg.region
					x.NameEn = strings.Join([]string{city.en, firm.en, trade.en, "Co., Ltd."}, " ")
				}
				break
			}
		}
		out = append(out, x)
	}
	return out
}

// kind is a family of products: each name comes in each size.
type kind struct {
	category     string
	unit, unitEn string
	scale        int
	// from and to bound the price of the smallest size, in whole yuan.
	from, to int
	names    []word
	sizes    []word
}

var kinds = []kind{
	{"tea", "箱", "box", 0, 180, 900, []word{{"祁门红茶", "Keemun Black Tea"}, {"正山小种", "Lapsang Souchong"}, {"安溪铁观音", "Anxi Tieguanyin"},
		{"武夷大红袍", "Wuyi Dahongpao"}, {"云南普洱", "Yunnan Pu'er"}, {"福鼎白茶", "Fuding White Tea"}, {"碧螺春", "Biluochun"}, {"黄山毛峰", "Huangshan Maofeng"},
		{"六安瓜片", "Lu'an Guapian"}, {"凤凰单丛", "Phoenix Dancong"}, {"信阳毛尖", "Xinyang Maojian"}, {"滇红工夫", "Dianhong Gongfu"}},
		[]word{{"二级", "Grade 2"}, {"一级", "Grade 1"}, {"特级", "Premium"}, {"精选", "Select"}, {"礼品装", "Gift Pack"}}},
	{"coffee", "箱", "box", 0, 220, 760, []word{{"云南小粒咖啡豆", "Yunnan Arabica Beans"}, {"意式拼配咖啡豆", "Espresso Blend Beans"}, {"哥伦比亚咖啡豆", "Colombia Beans"},
		{"埃塞俄比亚咖啡豆", "Ethiopia Beans"}, {"挂耳咖啡", "Drip Bag Coffee"}, {"速溶咖啡", "Instant Coffee"}, {"冷萃咖啡液", "Cold Brew Concentrate"}},
		[]word{{"浅烘", "Light Roast"}, {"中烘", "Medium Roast"}, {"深烘", "Dark Roast"}, {"低因", "Decaf"}}},
	{"snack", "箱", "box", 0, 60, 260, []word{{"桂花糕", "Osmanthus Cake"}, {"核桃酥", "Walnut Cookies"}, {"凤梨酥", "Pineapple Cakes"}, {"海苔脆", "Seaweed Crisps"},
		{"炭烤腰果", "Roasted Cashews"}, {"每日坚果", "Daily Nuts"}, {"山楂条", "Hawthorn Strips"}, {"牛轧糖", "Nougat"}, {"蛋黄酥", "Egg Yolk Pastry"}, {"红枣片", "Jujube Chips"},
		{"芝麻糖", "Sesame Candy"}, {"绿豆糕", "Mung Bean Cake"}},
		[]word{{"小袋装", "Small Bags"}, {"中袋装", "Medium Bags"}, {"大袋装", "Large Bags"}, {"散装", "Bulk"}, {"罐装", "Tins"}, {"家庭装", "Family Pack"}}},
	{"grain", "公斤", "kg", 3, 6, 60, []word{{"五常大米", "Wuchang Rice"}, {"东北小米", "Northeast Millet"}, {"黑芝麻", "Black Sesame"}, {"红豆", "Red Beans"}, {"燕麦片", "Oat Flakes"},
		{"菜籽油", "Rapeseed Oil"}, {"山茶油", "Camellia Oil"}, {"荞麦面", "Buckwheat Flour"}},
		[]word{{"标准", "Standard"}, {"优选", "Choice"}, {"有机", "Organic"}, {"出口级", "Export Grade"}}},
	{"beverage", "箱", "case", 0, 40, 180, []word{{"桂花酸梅汤", "Osmanthus Plum Drink"}, {"柠檬红茶饮料", "Lemon Black Tea Drink"}, {"乌龙茶饮料", "Oolong Tea Drink"}, {"椰子水", "Coconut Water"},
		{"苏打水", "Soda Water"}, {"燕麦奶", "Oat Milk"}, {"豆奶", "Soy Milk"}, {"气泡水", "Sparkling Water"}, {"蜂蜜柚子茶", "Honey Pomelo Drink"}},
		[]word{{"250ml", "250 ml"}, {"330ml", "330 ml"}, {"500ml", "500 ml"}, {"1L", "1 L"}, {"1.5L", "1.5 L"}, {"无糖", "Sugar Free"}}},
	{"gift", "套", "set", 0, 120, 880, []word{{"中秋礼盒", "Mid-Autumn Gift Box"}, {"新春礼盒", "Spring Festival Gift Box"}, {"端午礼盒", "Dragon Boat Gift Box"}, {"商务礼盒", "Business Gift Box"},
		{"坚果礼盒", "Nut Gift Box"}, {"糕点礼盒", "Pastry Gift Box"}},
		[]word{{"雅致款", "Elegant"}, {"尊享款", "Deluxe"}, {"典藏款", "Collector's"}, {"定制款", "Custom"}, {"迷你款", "Mini"}}},
	{"utensil", "件", "piece", 0, 25, 480, []word{{"紫砂壶", "Zisha Teapot"}, {"白瓷盖碗", "White Gaiwan"}, {"玻璃公道杯", "Glass Fairness Cup"}, {"竹制茶盘", "Bamboo Tea Tray"}, {"手冲壶", "Pour-over Kettle"},
		{"磨豆机", "Coffee Grinder"}, {"保温壶", "Thermos Jug"}, {"品茗杯", "Tasting Cup"}},
		[]word{{"小号", "Small"}, {"中号", "Medium"}, {"大号", "Large"}, {"青花", "Blue and White"}, {"哑光黑", "Matte Black"}, {"旅行款", "Travel"}, {"酒店款", "Hotel"}}},
}

// makeProducts begins with the two of the tour and fills up from the kinds.
func makeProducts(r *rand.Rand) []Product {
	out := []Product{
		{"P-0001", "龙井绿茶", "Longjing Green Tea", "tea", "箱", "box", "on_sale", 0, int64(560+20*r.IntN(4)) * 100, "", false},
		{"P-0002", "茉莉花茶", "Jasmine Tea", "tea", "箱", "box", "on_sale", 0, int64(300+20*r.IntN(4)) * 100, "", false},
	}
	var all []Product
	for _, k := range kinds {
		for _, n := range k.names {
			base := k.from + r.IntN(k.to-k.from+1)
			for i, s := range k.sizes {
				all = append(all, Product{Name: n.zh + " " + s.zh, NameEn: n.en + ", " + s.en, Category: k.category, Unit: k.unit, UnitEn: k.unitEn,
					Status: "on_sale", Scale: k.scale, Price: int64(base)*100*int64(10+2*i)/10 + int64(r.IntN(10))*10})
			}
		}
	}
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for _, p := range all {
		if len(out) == products {
			break
		}
		p.Code = fmt.Sprintf("P-%04d", len(out)+1)
		if r.IntN(100) < 5 {
			p.Status = "discontinued"
		}
		out = append(out, p)
	}
	return out
}

// makeDiscounts gives a third of the customers one for everything and some of
// them better ones for single products.
func makeDiscounts(r *rand.Rand, t Tenant) []Discount {
	out := []Discount{{"C-0001", "", 5}, {"C-0001", "P-0001", 8}}
	for _, c := range t.Customers[1:] {
		if r.IntN(3) != 0 {
			continue
		}
		out = append(out, Discount{c.Code, "", int64(2 + r.IntN(8))})
		seen := map[string]bool{}
		for range r.IntN(4) {
			if p := pick(r, t.Products); !seen[p.Code] {
				seen[p.Code] = true
				out = append(out, Discount{c.Code, p.Code, int64(8 + r.IntN(10))})
			}
		}
	}
	return out
}
