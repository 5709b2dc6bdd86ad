import { cross, each, type Fault, row, rows } from "./Rows.ts"

const ways = ["body", "Basic"] as const

/** Causes of a refusal, and the rule of each. */
const causes = [
  ["OAU-11", "unknown"],
  ["OAU-12", "secret"],
  ["OAU-13", "revoked"],
  ["OAU-09", "grant missing"],
  ["OAU-10", "grant password"],
  ["OAU-10", "grant refresh_token"]
] as const

/** Faults of OAU: each form of the client, crossed with the causes of a refusal, hosts and repetitions. */
export const clientFormFaults: ReadonlyArray<Fault> = [
  ...causes.flatMap(([rule, cause], index) => {
    const by = ways[index % 2] ?? "body"
    const other = ways[(index + 1) % 2] ?? "Basic"
    return [
      ...row(`${rule} status`, "another status of a refusal", { by, cause }),
      ...row(`${rule} wrong-value`, "another error name", { by: other, cause }),
      ...row("OAU-15 missing", "no error name", { by, cause }),
      ...row("OAU-15 missing", "no error_description", { by: other, cause })
    ]
  }),
  ...row("OAU-12 unexpected", "a refusal has a token", { by: "body", cause: "secret" }),
  ...row("OAU-12 unexpected", "a refusal has a token", { by: "Basic", cause: "secret" }),
  ...row("TRN-10 unexpected", "a refusal has a token", { cause: "unknown" }),
  ...row("OAU-13 unexpected", "a refusal has a token", { cause: "revoked" }),
  ...row("OAU-20 unexpected", "a refusal has a token", { cause: "JSON" }),
  ...row("OAU-20 missing", "no error_description", { cause: "JSON" }),
  ...row("OAU-15 not-json", "a refusal is a page", { by: "Basic", cause: "revoked" }),
  ...row("OAU-15 not-json", "a refusal is a page", { by: "Basic", cause: "grant password" }),
  ...row("OAU-08 status", "a wrong secret is granted", { by: "body", beside: "Basic" }),
  ...row("OAU-08 status", "an unknown client is granted", { by: "body", beside: "Basic" }),
  ...row("OAU-13 status", "a revoked client is granted", { by: "body", beside: "Basic" }),
  ...row("OAU-07 status", "a valid client is refused", { by: "body", beside: "Basic" }),
  ...row("OAU-12 status", "a wrong secret is granted", { host: "second" }),
  ...row("TRN-10 status", "an unknown client is granted", { host: "second" }),
  ...row("OAU-15 missing", "no error_description", { host: "second" }),
  ...rows("OAU-12 status", "a wrong secret is granted", each("by", ways, { near: "padded" })),
  ...rows(
    "OAU-10 status",
    "another grant is granted",
    each("grant", ["Client_Credentials", "client_credential", "client_credentials2", "implicit"])
  ),
  ...row("OAU-10 status", "another grant is granted", { by: "Basic", grant: "client-credentials" }),
  ...row("OAU-09 status", "another grant is granted", { grant: "" }),
  ...rows("OAU-01 missing", "a grant in the envelope", [{ by: "body" }, { by: "body", host: "second" }]),
  ...row("OAU-02 missing", "a grant in the envelope", { by: "Basic", client: "second client" }),
  ...row("OAU-05 missing", "no expires_in", { time: "again" }),
  ...row("OAU-16 unexpected", "a refresh token is granted", { time: "again" }),
  ...row("OAU-24 missing", "a grant does not speak of caches", { time: "again", by: "Basic" }),
  ...row("OAU-04 wrong-value", "another token_type", { by: "body", beside: "Basic" }),
  ...row("OAU-03 wrong-value", "the token is cut", { by: "Basic", time: "again" }),
  ...row("OAU-06 wrong-value", "expires_in is half an hour", { by: "body", beside: "Basic" }),
  ...rows("OAU-19 status", "a new token ends the earlier ones", cross(each("by", ways), [{ time: "again" }])),
  ...row("OAU-14 missing", "a failed Basic has no challenge", { host: "second" })
]
