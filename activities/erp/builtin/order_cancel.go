package builtin

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"github.com/erpilot/erpilot/activities/store/pgdb"
	nouns "github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/fault"
)

// move is one row of the stock ledger; negative takes away.
type move struct {
	Product  string          `json:"product"`
	Quantity decimal.Decimal `json:"quantity"`
}

// cancelOrder puts the goods of a submitted order back. It refunds nothing.
type cancelOrder struct{}

type cancelStep struct {
	args  values
	order pgdb.ErpSalesOrder
	lines []pgdb.ErpOrderLinesRow
	codes []string
	stock map[string]decimal.Decimal
	list  []nouns.Fact
}

func (cancelOrder) gather(ctx context.Context, j *job) (step, error) {
	s := &cancelStep{}
	p := j.problems()
	s.args, _ = parse(j.change.Payload, j.form.parts["cancel"], true, zoneOf(j.id), p)
	if err := p.err(); err != nil {
		return nil, err
	}
	var err error
	s.order, err = j.q.ErpLockOrder(ctx, pgdb.ErpLockOrderParams{TenantID: j.tenant, Number: j.change.Target})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, fault.New(fault.NotFound, "noun", j.form.Form, "id", clip(j.change.Target))
	}
	if err != nil {
		return nil, err
	}
	if s.lines, err = j.q.ErpOrderLines(ctx, pgdb.ErpOrderLinesParams{TenantID: j.tenant, Number: s.order.Number}); err != nil {
		return nil, err
	}
	for _, l := range s.lines {
		s.codes = append(s.codes, l.Product)
	}
	slices.Sort(s.codes)
	stock, err := j.q.ErpLockStock(ctx, pgdb.ErpLockStockParams{TenantID: j.tenant, Warehouse: s.order.Warehouse, Codes: s.codes})
	if err != nil {
		return nil, err
	}
	s.stock = map[string]decimal.Decimal{}
	for _, r := range stock {
		s.stock[r.Product] = r.Quantity
	}
	s.note(j)
	return s, nil
}

func (s *cancelStep) note(j *job) {
	number := s.order.Number
	s.list = append(s.list,
		nouns.Fact{Kind: nouns.FactState, Form: "sales_order", Key: number, Field: "status", Label: nouns.Label{Zh: "状态", En: "Status"},
			Object: number, Value: s.order.Status},
		nouns.Fact{Kind: nouns.FactVersion, Form: "sales_order", Key: number, Field: "version", Label: nouns.Label{Zh: "记录版本", En: "Record version"},
			Object: number, Value: strconv.FormatInt(s.order.Version, 10)})
	name := map[string]string{}
	for _, l := range s.lines {
		name[l.Product] = objectName(j.locale(), l.ProductName, l.ProductNameEn, l.Product)
	}
	for _, code := range s.codes {
		s.list = append(s.list, nouns.Fact{Kind: nouns.FactStock, Form: "stock", Key: code, Field: "quantity", Sub: s.order.Warehouse,
			Label: nouns.Label{Zh: "库存", En: "Stock"}, Object: name[code], Value: s.stock[code].String()})
	}
}

func (s *cancelStep) facts() []nouns.Fact { return s.list }

func (s *cancelStep) check(j *job) error {
	p := j.problems()
	switch s.order.Status {
	case "cancelled":
		p.add("status", "订单 "+s.order.Number+" 已取消", "the order "+s.order.Number+" is cancelled already")
	case "closed":
		p.add("status", "订单 "+s.order.Number+" 已完结，不能取消", "the order "+s.order.Number+" is closed and cannot be cancelled")
	}
	return p.err()
}

func (s *cancelStep) apply(ctx context.Context, j *job) (outcome, error) {
	moves := make([]move, len(s.lines))
	for i, l := range s.lines {
		moves[i] = move{l.Product, l.Quantity}
	}
	err := j.q.ErpCancelOrder(ctx, pgdb.ErpCancelOrderParams{TenantID: j.tenant, Number: s.order.Number, CancelReason: s.args["reason"]})
	if err != nil {
		return outcome{}, err
	}
	rows, err := json.Marshal(moves)
	if err != nil {
		return outcome{}, err
	}
	err = j.q.ErpMoveStock(ctx, pgdb.ErpMoveStockParams{TenantID: j.tenant, Warehouse: s.order.Warehouse, Reason: "sale_cancelled", Document: s.order.Number, Moves: rows})
	if err != nil {
		return outcome{}, err
	}
	after, err := j.levels(ctx, s.order.Warehouse, s.codes)
	if err != nil {
		return outcome{}, err
	}
	payload, err := json.Marshal(s.args)
	if err != nil {
		return outcome{}, err
	}
	loc := j.locale()
	status, _ := j.form.find("status")
	p := nouns.Preview{
		Object: s.order.Number, Payload: payload, Total: s.order.Total.String(), Currency: s.order.Currency,
		Diffs: []nouns.Diff{{Field: "status", Label: status.Label, Type: status.Type, Before: status.show(s.order.Status, loc), After: status.show("cancelled", loc)}},
		Notes: []nouns.Label{{
			Zh: "取消订单只把货物退回仓库，不会退款：已收的款项请另行处理。",
			En: "Cancelling puts the goods back into the warehouse and refunds nothing: money that was received must be dealt with separately.",
		}},
	}
	if r := s.args["reason"]; r != "" {
		f, _ := j.form.find("cancel_reason")
		p.Diffs = append(p.Diffs, nouns.Diff{Field: "cancel_reason", Label: f.Label, Type: f.Type, After: r})
	}
	for _, l := range s.lines {
		object := objectName(loc, l.ProductName, l.ProductNameEn, l.Product)
		p.Lines = append(p.Lines, nouns.Line{
			Product: l.Product, ProductName: nouns.Label{Zh: l.ProductName, En: l.ProductNameEn}.In(loc),
			Unit: nouns.Label{Zh: l.Unit, En: l.UnitEn}.In(loc), Quantity: l.Quantity.String(),
			BasePrice: l.BasePrice.String(), Discount: l.Discount.String(), UnitPrice: l.UnitPrice.String(), Amount: l.Amount.String(),
			Warehouse: s.order.Warehouse, StockBefore: s.stock[l.Product].String(), StockAfter: after[l.Product].String(),
		})
		p.Diffs = append(p.Diffs, stockDiff(object, s.stock[l.Product], after[l.Product]))
	}
	return outcome{bill: s.order.Number, preview: p}, nil
}
