// Package demo makes the demo companies: two brands with two subsidiaries each,
// small trading companies for tea and food with a year of business.
//
// # Design
//
// All is pure and deterministic: the same tenant at the same scale gives the same
// data on every machine and at every time (fixed dates, seeded generators). The
// loader of the built-in ERP writes it; tests use it to know what they look at.
// All tenants use the same codes (C-0001, P-0001, SO-000001) for different things,
// so that a query that forgets its tenant is seen at once.
//
// Companies makes the masters. Year plays a year through in the order of time, by
// events: an order is entered and promises stock, its deliveries move it, invoices
// and receipts follow; little stock leads to purchases and production. What becomes
// of an order is planned when it is entered, so a document is handed out once, in
// its final state, and only what is under way is held in memory: a year of any
// scale comes in batches. Every invariant of the ERP (`erpilot erp check`) holds by
// construction: parts are drawn by one function, stock moves by another.
//
// Names that the tour uses stand alone in their tenant: 上海晨光贸易有限公司, 龙井绿茶,
// 茉莉花茶. Of both products, round quantities may still be promised when the year ends.
//
// # Intentional
//
// Quantities and amounts are integers here (thousandths, hundredths): there is
// nothing to round but amounts, tax and prices in another currency, which are
// rounded as the ERP does it. Orders come from a random stream of their own that
// nothing else draws from, so new kinds of documents leave them as they are.
//
// # Rejected
//
// Playing the year through the ERP's own writes: a million documents would take a
// day, and would prove nothing that the tests of the ERP do not prove.
package demo
