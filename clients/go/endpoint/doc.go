// Package endpoint is for tool vendors: it answers Tether's calls, and does each confirmed write at most one time.
//
//	shop, err := endpoint.New(ledger.SQL(db), endpoint.SignedBy(secret))
//	if err != nil { … }
//	endpoint.Read(shop, "get_ticket", func(ctx context.Context, args ticket, call *endpoint.Call) (any, error) { … })
//	endpoint.Write(shop, "void_ticket", func(ctx context.Context, tx *sql.Tx, args ticket, call *endpoint.Call) (any, error) { … })
//	http.Handle("POST /tools", shop) // plain JSON over HTTP
//	shop.Register(grpcServer)        // tether.v1.ToolEndpoint over gRPC
//
// What vendors get wrong is done here: the signature is checked over the bytes as they came; a write and the record of its key
// are one transaction, so that a repeat gets the first result, also when both come at once or the process is killed in between;
// a key that comes with other arguments is refused; nothing is written after the deadline; and a probe is answered from that
// record, with a fence that turns an attempt away which was told not to be executed. The record is the table tether_ledger of
// the package ledger, the same that the other languages' packages use, in one database if you like.
package endpoint
