//go:build unix

package devserver

import (
	"context"
	"fmt"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"github.com/erpilot/erpilot/workflows/contract"
)

// types maps the CLI's words to the API's.
var types = map[string]enumspb.IndexedValueType{
	"Keyword":  enumspb.INDEXED_VALUE_TYPE_KEYWORD,
	"Datetime": enumspb.INDEXED_VALUE_TYPE_DATETIME,
}

// EnsureSearchAttributes registers what is missing in the namespace (a database
// made by an older Erpilot) and returns when the server accepts all of them in a
// query, which is later than its list shows them.
func EnsureSearchAttributes(ctx context.Context, c client.Client, namespace string) error {
	if err := register(ctx, c, namespace); err != nil {
		return err
	}
	query := ""
	for _, a := range contract.SearchAttributes {
		if query != "" {
			query += " OR "
		}
		query += a.Name + " IS NOT NULL"
	}
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		_, err := c.CountWorkflow(ctx, &workflowservice.CountWorkflowExecutionsRequest{Namespace: namespace, Query: query})
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("search attributes are not usable: %w", err)
		case <-tick.C:
		}
	}
}

func register(ctx context.Context, c client.Client, namespace string) error {
	have, err := c.OperatorService().ListSearchAttributes(ctx, &operatorservice.ListSearchAttributesRequest{Namespace: namespace})
	if err != nil {
		return fmt.Errorf("list search attributes: %w", err)
	}
	missing := map[string]enumspb.IndexedValueType{}
	for _, a := range contract.SearchAttributes {
		got, ok := have.CustomAttributes[a.Name]
		switch {
		case !ok:
			missing[a.Name] = types[a.Type]
		case got != types[a.Type]:
			return fmt.Errorf("search attribute %s is registered as %s, %s is needed", a.Name, got, a.Type)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	_, err = c.OperatorService().AddSearchAttributes(ctx, &operatorservice.AddSearchAttributesRequest{
		Namespace: namespace, SearchAttributes: missing,
	})
	if err != nil {
		return fmt.Errorf("register search attributes: %w", err)
	}
	return nil
}
