package builtin

import (
	"context"
	"fmt"

	"github.com/erpilot/erpilot/activities/store/pgdb"
)

// codePrefix is how the codes of a form begin that the ERP gives.
var codePrefix = map[string]string{"customer": "C-", "supplier": "S-", "product": "P-", "customer_price": "PL-", "exchange_rate": "ER-"}

// codeDigits is the least number of digits behind the prefix.
const codeDigits = 4

// nextCode gives the next code, beyond every one that exists or was given before:
// a code that was deleted names nobody else. It locks the counter of the form, the
// last lock of the write.
func (j *job) nextCode(ctx context.Context) (string, error) {
	prefix := codePrefix[j.form.Form]
	// The counter is locked first, so the highest code that is read then is settled.
	if err := j.q.ErpHoldCounter(ctx, pgdb.ErpHoldCounterParams{TenantID: j.tenant, Counter: j.form.Form}); err != nil {
		return "", err
	}
	var highest int64
	// Longer numbers are somebody's own and no part of the series.
	err := j.tx.QueryRow(ctx, "SELECT coalesce(max(substr(t."+j.form.key()+", length($2) + 1)::bigint), 0) FROM "+j.form.base()+
		" t WHERE t.tenant_id = $1 AND starts_with(t."+j.form.key()+", $2) AND substr(t."+j.form.key()+", length($2) + 1) ~ '^[0-9]{1,9}$'", j.tenant, prefix).Scan(&highest)
	if err != nil {
		return "", err
	}
	last, err := j.q.ErpRaiseCounter(ctx, pgdb.ErpRaiseCounterParams{TenantID: j.tenant, Counter: j.form.Form, Highest: highest})
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s%0*d", prefix, codeDigits, last), nil
}
