// Package demo makes the demo companies: two brands with two subsidiaries each,
// small trading companies for tea and food with a year of sales.
//
// # Design
//
// Generate is pure and deterministic: the same tenant gives the same data on
// every machine and at every time (fixed dates, a seeded generator). The loader
// of the built-in ERP writes it; tests use it to know what they look at. All
// tenants use the same codes (C-0001, P-0001, SO-000001) for different things, so
// that a query that forgets its tenant is seen at once.
//
// Names that the tour uses stand alone in their tenant: 上海晨光贸易有限公司, 龙井绿茶,
// 茉莉花茶.
//
// # Intentional
//
// Amounts are integers here (cents, percent, whole units): there is nothing to
// round but the amount of a line, which is rounded as the ERP does it.
package demo
