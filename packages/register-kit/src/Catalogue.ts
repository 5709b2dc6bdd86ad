import type { Judged, Rule } from "@wcs/conformance/catalogue/Rule"

const row = <const Id extends string, J extends Judged>(
  level: "MUST" | "SHOULD",
  id: Id,
  section: string,
  text: string,
  judged: J
) => ({ id, sections: [section], level, keptBy: "server", surface: "gateway", text, judged }) as const

const must = <const Id extends string>(id: Id, section: string, text: string) =>
  row("MUST", id, section, text, "answers")

const should = <const Id extends string>(id: Id, section: string, text: string) =>
  row("SHOULD", id, section, text, "answers")

/** A rule that every answer of the gateway can break. */
const always = <const Id extends string>(level: "MUST" | "SHOULD", id: Id, section: string, text: string) =>
  row(level, id, section, text, "every exchange")

/**
 * The contract of a gateway. A section is a heading below "The contract" in the README of `packages/register`. Ids are
 * never renumbered or reused.
 */
export const gatewayRules = [
  must("GWY-01", "Access", "A query without an `Authorization` header is refused with 401 or 403."),
  must("GWY-02", "Access", "A query with a wrong token or password is refused with 401 or 403."),
  always("MUST", "GWY-03", "Access", "No answer contains the token or password."),
  must("GWY-04", "Query", "Further fields of a query and further headers change nothing: later releases may add some."),
  must("GWY-05", "Query", "A query that lacks a field that its type is asked with is refused with 400 or 422."),
  must("GWY-06", "Query", "A query about a credential type that the gateway does not serve is refused with a 4xx."),
  must("GWY-07", "Query", "A body that is not a query is refused with a 4xx, which is not retried."),
  should("GWY-08", "Query", "A body of more than 64 KiB is refused with a 4xx."),
  should("GWY-09", "Query", "A method other than POST is refused with a 4xx."),
  always("MUST", "GWY-10", "Answer", "The body of a 200 is a JSON object in UTF-8."),
  always("SHOULD", "GWY-11", "Answer", "A 200 has `Content-Type: application/json`."),
  always("MUST", "GWY-12", "Answer", "`statusDetail` is a word of the contract."),
  always("MUST", "GWY-13", "Answer", "`expiryDate` is absent, null or a date that exists, `YYYY-MM-DD`."),
  always("MUST", "GWY-14", "Answer", "`matched` is absent, or a list of `identifier`, `name` and `birthDate`."),
  always("MUST", "GWY-15", "Answer", "An answer has at most 16 KiB."),
  always("MUST", "GWY-16", "Answer", "A complete answer arrives within 4 s."),
  always("MUST", "GWY-17", "Status", "An answer is no redirect, because redirects are not followed."),
  always("SHOULD", "GWY-18", "Status", "A 429 or 503 has a valid `Retry-After`."),
  always("SHOULD", "GWY-19", "Status", "A refusal repeats no identifier, name or date of birth of the query."),
  must("GWY-20", "Person", "A known card has the status and the expiry date that the register shows."),
  must("GWY-21", "Person", "An unknown card is a 200 with `NOT_FOUND`, not a refusal."),
  must("GWY-22", "Person", "A card under one of `otherNames` is found."),
  must("GWY-23", "Person", "A card of another name is no clearance, unless `matched` lacks `name`."),
  must("GWY-24", "Person", "A card of another date of birth is no clearance, unless `matched` lacks `birthDate`."),
  must("GWY-25", "Person", "A card with another expiry date is no clearance, if its type is asked with the date."),
  must("GWY-26", "Repetition", "The same query has the same answer: a query changes nothing."),
  must("GWY-27", "Repetition", "Each of several concurrent queries has its own answer."),
  must("GWY-28", "Access", "The secret is checked first: with a wrong one, every request is refused with 401 or 403.")
] as const satisfies ReadonlyArray<Rule>

type Row = (typeof gatewayRules)[number]
export type GatewayRuleId = Row["id"]
/** Rules that every answer can break. */
export type AlwaysRuleId = Extract<Row, { readonly judged: "every exchange" }>["id"]
/** Rules that a walk judges. */
export type WalkRuleId = Exclude<GatewayRuleId, AlwaysRuleId>
