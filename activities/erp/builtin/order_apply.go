package builtin

import (
	"context"
	"encoding/json"

	"github.com/shopspring/decimal"

	"github.com/erpilot/erpilot/activities/store/pgdb"
	nouns "github.com/erpilot/erpilot/schema/erp"
)

// priced is a line as it is stored.
type priced struct {
	LineNo      int             `json:"line_no"`
	Product     string          `json:"product"`
	ProductName string          `json:"product_name"`
	Unit        string          `json:"unit"`
	Quantity    decimal.Decimal `json:"quantity"`
	BasePrice   decimal.Decimal `json:"base_price"`
	Discount    decimal.Decimal `json:"discount"`
	UnitPrice   decimal.Decimal `json:"unit_price"`
	Amount      decimal.Decimal `json:"amount"`
}

func (s *orderStep) apply(ctx context.Context, j *job) (outcome, error) {
	lines := make([]priced, len(s.lines))
	codes := make([]string, len(s.lines))
	total := decimal.Zero
	for i, l := range s.lines {
		p := s.products[l.product]
		x := priced{LineNo: i + 1, Product: p.Code, ProductName: p.Name, Unit: p.Unit, Quantity: l.quantity, BasePrice: p.BasePrice, Discount: s.discounts[p.Code]}
		x.UnitPrice = unitPrice(x.BasePrice, x.Discount)
		x.Amount = amount(x.Quantity, x.UnitPrice, s.customer.Currency)
		total = total.Add(x.Amount)
		lines[i], codes[i] = x, p.Code
	}
	rows, err := json.Marshal(lines)
	if err != nil {
		return outcome{}, err
	}
	number, err := j.q.ErpWriteOrder(ctx, pgdb.ErpWriteOrderParams{
		TenantID: j.tenant, Customer: s.customer.Code, Warehouse: s.warehouse.Code, OrderDate: s.header["order_date"], DeliveryDate: s.header["delivery_date"],
		Total: total, Currency: s.customer.Currency, Remark: s.header["remark"], CreatedBy: j.id.User.UserID, Lines: rows,
	})
	if err != nil {
		return outcome{}, err
	}
	after, err := j.levels(ctx, s.warehouse.Code, codes)
	if err != nil {
		return outcome{}, err
	}
	p, err := s.preview(j, number, total, lines, after)
	return outcome{bill: number, preview: p}, err
}

// levels reads the stock as it is now.
func (j *job) levels(ctx context.Context, warehouse string, codes []string) (map[string]decimal.Decimal, error) {
	levels, err := j.q.ErpStock(ctx, pgdb.ErpStockParams{TenantID: j.tenant, Warehouse: warehouse, Codes: codes})
	if err != nil {
		return nil, err
	}
	after := map[string]decimal.Decimal{}
	for _, l := range levels {
		after[l.Product] = l.Quantity
	}
	return after, nil
}

func (s *orderStep) preview(j *job, number string, total decimal.Decimal, lines []priced, after map[string]decimal.Decimal) (nouns.Preview, error) {
	loc := j.locale()
	payload, err := s.payload()
	if err != nil {
		return nouns.Preview{}, err
	}
	p := nouns.Preview{
		Object:  objectName(loc, s.customer.Name, s.customer.NameEn, s.customer.Code),
		Payload: payload, Total: total.String(), Currency: s.customer.Currency, Provisional: true,
	}
	for _, f := range j.form.fields {
		v := s.header[f.Name]
		switch {
		case f.Name == "customer":
			v = p.Object
		case f.Name == "warehouse":
			v = objectName(loc, s.warehouse.Name, s.warehouse.NameEn, s.warehouse.Code)
		case v == "":
			continue
		}
		p.Diffs = append(p.Diffs, nouns.Diff{Field: f.Name, Label: f.Label, Type: f.Type, After: v})
	}
	derived := func(field, after string) {
		f, _ := j.form.find(field)
		p.Diffs = append(p.Diffs, nouns.Diff{Field: field, Label: f.Label, Type: f.Type, After: after, Derived: true})
	}
	derived("number", number)
	derived("total", total.String())
	derived("currency", s.customer.Currency)
	for _, l := range lines {
		x := s.products[l.Product]
		p.Lines = append(p.Lines, nouns.Line{
			Product: l.Product, ProductName: nouns.Label{Zh: x.Name, En: x.NameEn}.In(loc),
			Unit: nouns.Label{Zh: x.Unit, En: x.UnitEn}.In(loc), Quantity: l.Quantity.String(),
			BasePrice: l.BasePrice.String(), Discount: l.Discount.String(), UnitPrice: l.UnitPrice.String(), Amount: l.Amount.String(),
			Warehouse: s.warehouse.Code, StockBefore: s.stock[l.Product].String(), StockAfter: after[l.Product].String(),
		})
		p.Diffs = append(p.Diffs, stockDiff(objectName(loc, x.Name, x.NameEn, x.Code), s.stock[l.Product], after[l.Product]))
	}
	if s.merged {
		p.Notes = append(p.Notes, nouns.Label{Zh: "同一产品的多行已合并为一行。", En: "Lines of the same product were merged into one."})
	}
	p.Notes = append(p.Notes, nouns.Label{
		Zh: "订单号在写入时确定，可能与这里显示的不同。库存未预留。",
		En: "The order number is given out at writing and may differ from the one shown. No stock is reserved.",
	})
	return p, nil
}

func stockDiff(object string, before, after decimal.Decimal) nouns.Diff {
	return nouns.Diff{Field: "stock", Label: nouns.Label{Zh: "库存", En: "Stock"}, Type: nouns.Decimal, Object: object,
		Before: before.String(), After: after.String(), Derived: true}
}
