import type { RuleId } from "@wcs/conformance/catalogue/Catalogue"
import { cross, each, type Fault, row, rows } from "./Rows.ts"

const me = "GET users/me"
const exchange = "POST users/{id}/token"
const mine = "GET organizations/me"
const scan = "POST scan"
const constituents = "GET constituents"
const bearerOnly = [mine, scan, constituents]
const every = [me, exchange, ...bearerOnly]
const legacy = { surface: "legacy" }
const on = (endpoints: ReadonlyArray<string>, more: Readonly<Record<string, string>> = {}) =>
  each("endpoint", endpoints, { ...legacy, ...more })

const fields = (rule: RuleId, point: string, names: ReadonlyArray<string>, more: Readonly<Record<string, string>>) =>
  rows(rule, point, each("name", names, { ...legacy, ...more }))

/** Faults of LEG. */
export const legacyFaults: ReadonlyArray<Fault> = [
  ...fields("LEG-01", "a field is missing", ["id", "email", "first_name", "surname", "organization"], {
    endpoint: me,
    of: "user",
    scheme: "Basic"
  }),
  ...fields("LEG-01", "a field has another type", ["id", "email"], { endpoint: me, of: "user", scheme: "Basic" }),
  ...fields("LEG-01", "a field is missing", ["id", "name"], { endpoint: me, of: "organization", scheme: "Basic" }),
  ...rows("LEG-02", "Basic shows the whole organization", on([me])),
  ...rows("LEG-02", "Basic shows the whole organization", on([me], { user: "lowest role" })),
  ...fields("LEG-03", "a field is missing", ["is_verified", "email", "surname"], {
    endpoint: me,
    of: "user",
    scheme: "Bearer"
  }),
  ...fields("LEG-03", "a field has another type", ["is_verified"], { endpoint: me, of: "user", scheme: "Bearer" }),
  ...fields("LEG-04", "a field is missing", ["id", "name", "abn", "is_active"], {
    endpoint: me,
    of: "organization",
    scheme: "Bearer"
  }),
  ...fields("LEG-04", "a field has another type", ["id", "is_active"], {
    endpoint: me,
    of: "organization",
    scheme: "Bearer"
  }),
  ...fields("LEG-05", "a field is missing", ["token", "iat", "exp"], { endpoint: exchange }),
  ...fields("LEG-05", "a field is missing", ["iat"], { endpoint: exchange, again: "again" }),
  ...rows("LEG-05", "a right password is refused", on([exchange], { user: "ann" })),
  ...rows("LEG-06", "the token has two parts", on([exchange])),
  ...rows("LEG-07", "times are milliseconds", on([exchange])),
  ...rows("LEG-07", "exp is before iat", on([exchange])),
  ...fields("LEG-07", "a field has another type", ["iat", "exp"], { endpoint: exchange }),
  ...row("LEG-09", "GET on the token path is 405", legacy),
  ...rows("LEG-10", "a wrong user id is accepted", on([exchange], { whose: "nobody" })),
  ...fields("LEG-11", "a field is missing", ["id", "name", "abn", "is_active"], { endpoint: mine }),
  ...fields("LEG-11", "a field has another type", ["id", "is_active"], { endpoint: mine }),
  ...rows("LEG-12", "a scan is refused", on([scan], { user: "ann" })),
  ...rows("LEG-13", "the endpoint is missing", on([constituents])),
  ...rows("TRN-03", "the endpoint is missing", on([me, exchange, mine, scan])),
  ...rows("LEG-15", "a valid token is refused", on([me, ...bearerOnly], { user: "ann" })),
  ...["no JWT", "cut", "another payload", "another signature", "no signature", "token of the newer surface"].flatMap(
    (flaw, index) =>
      rows(
        "LEG-16",
        "an invalid token is accepted",
        on([[me, ...bearerOnly][index % 4] ?? me, [me, ...bearerOnly][(index + 2) % 4] ?? me], { flaw })
      )
  ),
  ...[
    "no field",
    "another field",
    "no message",
    "no status in the body",
    "status is a text",
    "a 401 is 403",
    "a 401 in the envelope",
    "a 401 is text"
  ].flatMap((point, index) => [
    ...rows("LEG-16", point, on([[me, ...bearerOnly][index % 4] ?? me], { cause: "no JWT" })),
    ...rows("LEG-17", point, on([[me, ...bearerOnly][(index + 1) % 4] ?? me], { cause: "expired" }))
  ]),
  ...rows("LEG-17", "an expired token is accepted", on([me, ...bearerOnly])),
  ...rows("LEG-20", "a permission is not checked", on([constituents])),
  ...rows("LEG-20", "a 403 is 404", on([constituents], { user: "lowest role" })),
  ...rows("LEG-21", "another organization is shown", [legacy]),
  ...rows("LEG-21", "another organization is 404", [legacy]),
  ...rows("LEG-22", "an unverified account is accepted", on(bearerOnly)),
  ...rows("LEG-22", "a 403 is 404", on(bearerOnly, { user: "unverified" })),
  ...["no field", "no status in the body", "status is a text", "no message"].flatMap((point, index) =>
    rows(
      "LEG-26",
      point,
      on([every[index] ?? me, every[index + 1] ?? me], {
        cause: ["none", "password", "none", "password"][index] ?? "none"
      }).filter(({ cause, endpoint }) => cause === "none" || endpoint === me || endpoint === exchange)
    )
  ),
  ...rows("LEG-26", "a 401 is text", on([exchange], { cause: "none" })),
  ...rows("LEG-26", "no status in the body", on([me, exchange], { cause: "password" })),
  ...rows("LEG-27", "another email", cross(on([me]), each("scheme", ["Basic", "Bearer"]))),
  ...rows(
    "LEG-30",
    "a wrong password is accepted",
    cross(on([me, exchange], { user: "ann" }), each("near", ["empty", "another", "another case", "shorter", "longer"]))
  ),
  ...rows("LEG-31", "a revoked token is accepted", on([me, ...bearerOnly])),
  ...rows("LEG-15", "no credentials are accepted", on([me, ...bearerOnly])).map((fault) => ({
    ...fault,
    rule: "LEG-18" as const
  })),
  ...rows("TRN-07", "the body is no JSON", on([me, exchange, mine, scan, constituents]))
]
