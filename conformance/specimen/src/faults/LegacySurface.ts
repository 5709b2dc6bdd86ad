import { cross, each, type Fault, type KillText, row, rows } from "./Rows.ts"

const me = "GET users/me"
const exchange = "POST users/{id}/token"
const mine = "GET organizations/me"
const scan = "POST scan"
const constituents = "GET constituents"
const bearerOnly = [mine, scan, constituents]
const legacy = { surface: "legacy" }
const on = (endpoints: ReadonlyArray<string>, more: Readonly<Record<string, string>> = {}) =>
  each("endpoint", endpoints, { ...legacy, ...more })

const fields = (kill: KillText, point: string, names: ReadonlyArray<string>, more: Readonly<Record<string, string>>) =>
  rows(kill, point, each("name", names, { ...legacy, ...more }))

/** Wrong 401s, and the kind of difference that each is. */
const wrong401 = [
  ["missing", "no field"],
  ["wrong-value", "another field"],
  ["missing", "no message"],
  ["missing", "no status in the body"],
  ["wrong-value", "status is a text"],
  ["status", "a 401 is 403"],
  ["missing", "a 401 in the envelope"],
  ["not-json", "a 401 is text"]
] as const

/** Faults of LEG. */
export const legacyFaults: ReadonlyArray<Fault> = [
  ...fields("LEG-01 missing", "a field is missing", ["id", "email", "first_name", "surname", "organization"], {
    endpoint: me,
    of: "user",
    scheme: "Basic"
  }),
  ...fields("LEG-01 wrong-type", "a field has another type", ["id", "email"], {
    endpoint: me,
    of: "user",
    scheme: "Basic"
  }),
  ...fields("LEG-02 missing", "a field is missing", ["id", "name"], {
    endpoint: me,
    of: "organization",
    scheme: "Basic"
  }),
  ...rows("LEG-02 unexpected", "Basic shows the whole organization", on([me])),
  ...rows("LEG-02 unexpected", "Basic shows the whole organization", on([me], { user: "lowest role" })),
  ...fields("LEG-03 missing", "a field is missing", ["is_verified"], { endpoint: me, of: "user", scheme: "Bearer" }),
  ...fields("LEG-01 missing", "a field is missing", ["email", "surname"], {
    endpoint: me,
    of: "user",
    scheme: "Bearer"
  }),
  ...fields("LEG-03 wrong-type", "a field has another type", ["is_verified"], {
    endpoint: me,
    of: "user",
    scheme: "Bearer"
  }),
  ...fields("LEG-04 missing", "a field is missing", ["id", "name", "abn", "is_active"], {
    endpoint: me,
    of: "organization",
    scheme: "Bearer"
  }),
  ...fields("LEG-04 wrong-type", "a field has another type", ["id", "is_active"], {
    endpoint: me,
    of: "organization",
    scheme: "Bearer"
  }),
  ...fields("LEG-05 missing", "a field is missing", ["token", "iat", "exp"], { endpoint: exchange }),
  ...fields("LEG-05 missing", "a field is missing", ["iat"], { endpoint: exchange, again: "again" }),
  ...rows("LEG-05 status", "a right password is refused", on([exchange], { user: "ann" })),
  ...rows("LEG-06 wrong-value", "the token has two parts", on([exchange])),
  ...rows("LEG-07 wrong-type", "times are milliseconds", on([exchange])),
  ...rows("LEG-07 wrong-value", "exp is before iat", on([exchange])),
  ...fields("LEG-07 wrong-type", "a field has another type", ["iat", "exp"], { endpoint: exchange }),
  ...row("LEG-09 status", "GET on the token path is 405", legacy),
  ...rows("LEG-10 status", "a wrong user id is accepted", on([exchange], { whose: "nobody" })),
  ...fields("LEG-11 missing", "a field is missing", ["id", "name", "abn", "is_active"], { endpoint: mine }),
  ...fields("LEG-11 wrong-type", "a field has another type", ["id", "is_active"], { endpoint: mine }),
  ...rows("LEG-12 status", "a scan is refused", on([scan], { user: "ann" })),
  ...rows("LEG-13 status", "the endpoint is missing", on([constituents])),
  ...rows("TRN-03 status", "the endpoint is missing", on([me, mine])),
  ...rows("LEG-05 status", "the endpoint is missing", on([exchange])),
  ...rows("LEG-12 status", "the endpoint is missing", on([scan])),
  ...rows("LEG-15 status", "a valid token is refused", on([me, ...bearerOnly], { user: "ann" })),
  ...["no JWT", "cut", "another payload", "another signature", "no signature", "token of the newer surface"].flatMap(
    (flaw, index) =>
      rows(
        "LEG-16 status",
        "an invalid token is accepted",
        on([[me, ...bearerOnly][index % 4] ?? me, [me, ...bearerOnly][(index + 2) % 4] ?? me], { flaw })
      )
  ),
  ...wrong401.flatMap(([kind, point], index) => [
    ...rows(`LEG-16 ${kind}`, point, on([[me, ...bearerOnly][index % 4] ?? me], { cause: "no JWT" })),
    ...rows(`LEG-17 ${kind}`, point, on([[me, ...bearerOnly][(index + 1) % 4] ?? me], { cause: "expired" }))
  ]),
  ...rows("LEG-17 status", "an expired token is accepted", on([me, ...bearerOnly])),
  ...rows("LEG-20 status", "a permission is not checked", on([constituents])),
  ...rows("LEG-20 status", "a 403 is 404", on([constituents], { user: "lowest role" })),
  ...rows("LEG-21 status", "another organization is shown", [legacy]),
  ...rows("LEG-21 status", "another organization is 404", [legacy]),
  ...rows("LEG-22 status", "an unverified account is accepted", on(bearerOnly)),
  ...rows("LEG-22 status", "a 403 is 404", on(bearerOnly, { user: "unverified" })),
  ...rows("LEG-26 missing", "no field", on([me, exchange], { cause: "none" })),
  ...rows("LEG-26 missing", "no status in the body", on([me, exchange], { cause: "password" })),
  ...rows("LEG-26 wrong-value", "status is a text", on([mine, scan], { cause: "none" })),
  ...rows("LEG-26 not-json", "a 401 is text", on([exchange], { cause: "none" })),
  ...rows("LEG-27 wrong-value", "another email", cross(on([me]), each("scheme", ["Basic", "Bearer"]))),
  ...rows(
    "LEG-30 status",
    "a wrong password is accepted",
    cross(on([me, exchange], { user: "ann" }), each("near", ["empty", "another", "another case", "shorter", "longer"]))
  ),
  ...rows("LEG-31 status", "a revoked token is accepted", on([me, ...bearerOnly])),
  ...rows("LEG-18 status", "no credentials are accepted", on([me, ...bearerOnly])),
  ...rows("TRN-07 not-json", "the body is no JSON", on([me, exchange, mine, scan, constituents])),
  ...rows("LEG-08 wrong-value", "a token lasts one hour", on([exchange])),
  ...rows("LEG-14 status", "Basic is accepted", on(bearerOnly)),
  ...rows("LEG-19 status", "a 401 is 403", on([me, scan], { cause: "revoked" })),
  ...rows("LEG-19 missing", "no field", on([mine], { cause: "revoked" })),
  ...rows("LEG-28 wrong-type", "the organization is a list", on([me], { scheme: "Bearer", user: "lowest role" })),
  ...rows("LEG-28 status", "a right password is refused", on([exchange], { user: "lowest role" })),
  ...rows("LEG-29 wrong-value", "iat is a minute late", on([exchange])),
  ...rows("TRN-01 disclosed", "plain HTTP is redirected with the token", on([me, mine, constituents])),
  ...rows("TRN-01 disclosed", "plain HTTP is refused with the data", on([me]))
]
