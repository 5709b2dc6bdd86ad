import { each, type Fault, row, rows } from "./Rows.ts"

const me = "GET users/me"
const exchange = "POST users/{id}/token"
const mine = "GET organizations/me"
const other = "GET organizations/{id}"
const scan = "POST scan"
const constituents = "GET constituents"
const legacy = { surface: "legacy" }
const on = (endpoints: ReadonlyArray<string>, more: Readonly<Record<string, string>> = {}) =>
  each("endpoint", endpoints, { ...legacy, ...more })

const parts = [
  "algorithm none",
  "the payload",
  "the end of the signature",
  "the last character of the signature",
  "the signature"
]

/** Faults of LEG: each user, crossed with calls and with kinds of token. */
export const legacyRoleFaults: ReadonlyArray<Fault> = [
  ...rows("LEG-28 status", "a valid token is refused", on([me], { user: "lowest role" })),
  ...rows("LEG-15 status", "a valid token is refused", on([mine], { user: "lowest role" })),
  ...rows("LEG-22 status", "a valid token is refused", on([mine, scan, constituents], { user: "unverified" })),
  ...rows("LEG-20 status", "a permission is not checked", on([scan, other], { user: "lowest role" })),
  ...rows("LEG-01 status", "a permitted call is 403", on([me], { user: "ann" })),
  ...rows("LEG-05 status", "a permitted call is 403", on([exchange], { user: "ann" })),
  ...rows("LEG-11 status", "a permitted call is 403", on([mine], { user: "ann" })),
  ...rows("LEG-12 status", "a permitted call is 403", on([scan], { user: "ann" })),
  ...rows("LEG-15 status", "a permitted call is 403", on([constituents], { user: "ann" })),
  ...rows("LEG-28 missing", "a permitted call is 403", on([me], { user: "lowest role" })),
  ...rows("LEG-28 status", "a permitted call is 403", on([exchange], { user: "lowest role" })),
  ...rows("LEG-01 status", "a right password is refused", on([me], { user: "ann" })),
  ...rows("LEG-28 missing", "a right password is refused", on([me], { user: "lowest role" })),
  ...rows("LEG-22 status", "a right password is refused", on([exchange], { user: "unverified" })),
  ...rows("LEG-30 status", "a wrong password is accepted", on([me, exchange], { user: "lowest role" })),
  ...rows("LEG-30 status", "a wrong password is accepted", on([exchange], { user: "unverified" })),
  ...rows("LEG-14 status", "Basic is accepted", on([mine, constituents], { user: "lowest role" })),
  ...parts.flatMap((part, index) =>
    rows(
      "LEG-16 status",
      "an invalid token is accepted",
      on([[me, mine, scan, constituents][index % 4] ?? me], { part })
    )
  ),
  ...rows("LEG-16 status", "an invalid token is accepted", on([me, scan], { flaw: "token of the newer surface" })),
  ...rows("LEG-17 status", "an expired token is accepted", on([other])),
  ...rows("LEG-31 status", "a revoked token is accepted", on([other])),
  ...rows("LEG-18 status", "no credentials are accepted", on([exchange, other])),
  ...rows("LEG-18 status", "a 401 is 403", on([me, exchange], { cause: "password" })),
  ...rows("LEG-18 status", "a 401 is 403", on([scan], { cause: "none" })),
  ...rows("LEG-26 missing", "no message", on([me], { cause: "password" })),
  ...rows("LEG-26 missing", "a 401 in the envelope", on([constituents], { cause: "none" })),
  ...row("LEG-18 status", "a token in the query is accepted", legacy),
  ...rows("LEG-27 wrong-value", "another email", on([me], { user: "lowest role" })),
  ...rows("LEG-01 missing", "a field is missing", on([me], { user: "lowest role", name: "surname" })),
  ...rows("LEG-05 missing", "a field is missing", on([exchange], { user: "lowest role", name: "exp" })),
  ...rows("LEG-02 unexpected", "Basic shows the whole organization", on([me], { user: "unverified" })),
  ...rows("LEG-08 wrong-value", "a token lasts one hour", on([exchange], { user: "lowest role" })),
  ...rows("LEG-29 wrong-value", "iat is a minute late", on([exchange], { again: "again" }))
]
