import {
  at,
  cross,
  each,
  endpoints,
  type Fault,
  hasId,
  isCreate,
  isDelete,
  isList,
  isSingle,
  isUpdate,
  madeBy,
  row,
  rows
} from "./Rows.ts"

const all = endpoints()
const lists = endpoints(isList)
const singles = endpoints(isSingle)
const creates = endpoints(isCreate)
const changes = [...endpoints(isUpdate), ...endpoints(isDelete)]
const actions = endpoints((route) => hasId(route) && route.method === "POST")

const parts = [
  "algorithm none",
  "the payload",
  "the end of the signature",
  "the last character of the signature",
  "the signature"
]

/** A call that is refused with a 401 and made nevertheless. */
const made = (cause: string, shift: number) => [
  ...at(creates, 1, shift, { cause }),
  ...at(changes, 1, shift * 3, { cause }),
  ...at(actions, 1, shift, { cause })
]

/** Faults of AUT: the kinds of token, crossed with calls, hosts and repetitions. */
export const tokenFaults: ReadonlyArray<Fault> = [
  ...rows("AUT-01 status", "no Authorization is accepted", at(all, 10, 3).slice(0, 6)),
  ...rows("AUT-01 status", "no Authorization is accepted", at(lists, 2, 3, { host: "second" })),
  ...rows("AUT-01 status", "no Authorization is accepted", at(creates, 1, 2, { host: "second" })),
  ...rows("AUT-01 status", "no Authorization is accepted", at(lists, 2, 4, { turn: "later" })),
  ...rows(
    "AUT-01 status",
    "a token outside of the header is accepted",
    each("where", ["query", "body", "cookie", "another header"])
  ),
  ...rows("AUT-02 status", "another scheme is accepted", at(all, 5, 1).slice(0, 2)),
  ...rows("AUT-02 status", "a token without its prefix is accepted", at(all, 5, 3).slice(0, 2)),
  ...rows("AUT-02 status", "Basic is accepted", at(all, 5, 6).slice(0, 2)),
  ...parts.flatMap((part, index) => [
    ...row("AUT-04 status", "a malformed token is accepted", { endpoint: "GET /workers", part }),
    ...rows("AUT-04 status", "a malformed token is accepted", at(all, 1, index * 7 + 2, { part }))
  ]),
  ...rows(
    "AUT-04 status",
    "a malformed token is accepted",
    each("like", ["another case", "longer", "shorter", "one character"])
  ),
  ...rows("AUT-04 status", "a malformed token is accepted", at(lists, 3, 1, { flaw: "legacy token" })),
  ...rows("AUT-05 status", "an expired token is accepted", at(singles, 2, 1, { turn: "later" })),
  ...rows("AUT-05 status", "an expired token is accepted", at(lists, 2, 1, { turn: "later" })),
  ...rows("AUT-12 status", "a revoked token is accepted", at(creates, 2, 3, { turn: "later" })),
  ...rows("AUT-12 status", "a revoked token is accepted", at(lists, 2, 2, { turn: "later" })),
  ...madeBy("AUT-01", "a call that is refused with 401 is made", made("none", 0)),
  ...madeBy("AUT-04", "a call that is refused with 401 is made", made("another payload", 1)),
  ...madeBy("AUT-05", "a call that is refused with 401 is made", made("expired", 2)),
  ...madeBy("AUT-12", "a call that is refused with 401 is made", made("revoked", 3)),
  ...madeBy("AUT-02", "a call that is refused with 401 is made", at(changes, 2, 5, { cause: "bare token" })),
  ...rows("AUT-08 status", "a valid token is refused", at(all, 5, 2, { caller: "personal" }).slice(0, 3)),
  ...rows("AUT-08 status", "a valid token is refused", at(lists, 2, 3, { caller: "personal", turn: "later" })),
  ...rows(
    "AUT-11 status",
    "a valid token is refused",
    cross(at(all, 3, 1).slice(0, 2), each("caller", ["rotated, old", "rotated, new"]))
  ),
  ...rows("AUT-12 status", "a valid token is refused", at(all, 3, 5, { caller: "living" })),
  ...rows("AUT-14 status", "a valid token is refused", at(lists, 2, 3, { caller: "external" })),
  ...rows("AUT-15 status", "a valid token is refused", at(all, 4, 2, { caller: "enrolled" })),
  ...rows("OAU-05 status", "a valid token is refused", at(lists, 2, 5, { caller: "first client", turn: "later" })),
  ...rows("AUT-16 status", "a SAML response is taken", each("flaw", ["another request", "expired", "another user"]))
]
