import type { RuleId } from "@wcs/conformance/catalogue/Catalogue"
import { isObject, parse } from "@wcs/conformance/text/Json"
import type { Request } from "@wcs/conformance/wire/Exchange"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import { Effect, Option } from "effect"
import * as Answering from "../../Answering.ts"
import { type Mutant, mutant } from "../../Mutant.ts"
import { open, openToCallersWho, refusedAndDone, refusing, whereForbidden } from "../../seams/PrivilegeSeams.ts"
import * as Rewrite from "../../seams/Rewrite.ts"
import * as Seams from "../../seams/Seams.ts"
import { withoutSiblings } from "../../variants/Profiles.ts"

/** The path of one resource. */
const one = /^\/(workers|credentials)\/[^/]+$/
const group = /^\/(workers|credentials)$/

/** Validates bodies before privileges. */
const bodyFirst = (where: Rewrite.Where, isLookedAt: (body: string) => boolean) =>
  whereForbidden(where, ({ asAdmin, refusal, request }) =>
    isLookedAt(request.body) ? asAdmin(request) : Effect.succeed(refusal)
  )

const isBroken = (body: string): boolean => parse(body) === undefined
const isNoObject = (body: string): boolean => !isBroken(body) && !isObject(parse(body))

/** Looks up ids before privileges. */
const idFirst = (where: Rewrite.Where) =>
  whereForbidden(where, ({ asAdmin, refusal, request }) =>
    Effect.map(asAdmin({ ...request, method: "GET", body: "" }), (found) =>
      found.status === 404 ? Answering.refusal(refusal, 404, "NOT_FOUND", "There is no such resource.") : refusal
    )
  )

/** A token has every privilege if its account has an older token. */
const lifting = Seams.store(AccessStore, ({ findPersonalToken, listPersonalTokens }) => ({
  findPersonalToken: Effect.fnUntraced(function* (tenantId, hash) {
    const found = yield* findPersonalToken(tenantId, hash)
    if (Option.isNone(found)) return found
    const { account, token } = found.value
    const tokens = yield* listPersonalTokens(token.tenantId)
    const [first] = tokens.filter(({ accountId }) => accountId === account.id)
    return first?.id === token.id
      ? found
      : Option.some({ token, account: { ...account, role: "Super Admin" as const } })
  })
}))

const calls = {
  link: /^\/credentials\/[^/]+\/link$/,
  unlink: /^\/credentials\/[^/]+\/unlink$/,
  transfer: /^\/credentials\/[^/]+\/transfer$/,
  bulkLink: /^\/credentials\/link$/,
  bulkTransfer: /^\/credentials\/transfer$/
}

const reading = (request: Request): Request => ({
  ...request,
  method: "GET",
  url: new URL("/openapi/v1/credentials?ownerExternalId=nobody", request.url).href,
  body: ""
})

/** The call also judges bodies and, if the path has an id, looks for the credential before the privilege. */
const notGuarded = (name: string, path: RegExp, alsoKills: ReadonlyArray<RuleId>): Mutant =>
  mutant(name, ["PRV-16 status", "PRV-17 status"], { alsoKills }).rewrite(open({ method: "POST", path }))

const openToReaders = (name: string, path: RegExp): Mutant =>
  mutant(name, "PRV-17 status").rewrite(openToCallersWho({ method: "POST", path }, reading))

/** Defects of refusals for a missing privilege. */
export const privilegeRefusalMutants: ReadonlyArray<Mutant> = [
  mutant("broken-body-of-a-change-is-looked-at-before-the-privilege", "PRV-07 status").rewrite(
    bodyFirst({ method: "PATCH", path: one }, isBroken)
  ),
  mutant("form-of-a-change-is-looked-at-before-the-privilege", "PRV-07 status").rewrite(
    bodyFirst({ method: "PUT", path: one }, isNoObject)
  ),
  mutant("body-of-a-create-is-looked-at-before-the-privilege", "PRV-07 status", { seenBy: ["PRV-02"] }).rewrite(
    bodyFirst({ method: "POST", path: group }, (body) => isBroken(body) || isNoObject(body))
  ),
  mutant("read-looks-at-the-form-of-an-id-before-the-privilege", "PRV-08 status").answers(
    { method: "GET", path: /^\/credentials\/(?!cred_\w{16}$)[^/]+$/, status: 403 },
    (answer) => Answering.refusal(answer, 400, "INVALID_ARGUMENT", "id: is not a credential id.")
  ),
  mutant("read-looks-for-the-credential-before-the-privilege", "PRV-08 status", { seenBy: ["PRV-02"] }).rewrite(
    idFirst({ method: "GET", path: one })
  ),
  mutant("change-looks-for-its-target-before-the-privilege", "PRV-08 status", { seenBy: ["PRV-03"] }).rewrite(
    idFirst({ method: "PATCH", path: one })
  ),
  mutant("delete-looks-for-its-target-before-the-privilege", "PRV-08 status", { seenBy: ["PRV-04"] }).rewrite(
    idFirst({ method: "DELETE", path: one })
  ),
  mutant("refused-worker-is-made", "PRV-09 changed at body.data", { seenBy: ["PRV-02"] }).rewrite(
    refusedAndDone({ method: "POST", path: /^\/workers$/, body: /^\{.*\}$/s })
  ),
  mutant("refused-credential-is-made", "PRV-09 changed at body.data", { seenBy: ["PRV-02"] }).rewrite(
    refusedAndDone({ method: "POST", path: /^\/credentials$/, body: /^\{.*\}$/s })
  ),
  mutant("refused-change-is-made", "PRV-09 changed at body.data").rewrite(
    refusedAndDone({ method: "PATCH", path: one })
  ),
  mutant("refused-delete-is-made", "PRV-09 changed at body.data.id", { seenBy: ["PRV-04"] }).rewrite(
    refusedAndDone({ method: "DELETE", path: one })
  ),
  mutant("refusal-names-another-account", "PRV-10 wrong-value at body.error.message").rules(
    refusing(() => ({ account: "urn:wcs:account:usr_0000000000000000" }))
  ),
  mutant("refusal-names-nobody", "PRV-10 wrong-value at body.error.message").answers(
    { method: "GET", status: 403 },
    Rewrite.field("error.message", "You are unauthorized to READ this.")
  ),
  mutant("refused-create-is-told-as-an-update", "PRV-10 wrong-value at body.error.message", {
    seenBy: ["PRV-02"]
  }).rules(refusing(({ operation }) => (operation === "CREATE" ? { operation: "UPDATE" } : {}))),
  mutant("refused-update-is-told-as-a-create", "PRV-10 wrong-value at body.error.message", {
    seenBy: ["PRV-03"]
  }).rules(refusing(({ operation }) => (operation === "UPDATE" ? { operation: "CREATE" } : {}))),
  mutant("refused-delete-is-told-as-an-update", "PRV-10 wrong-value at body.error.message", {
    seenBy: ["PRV-04"]
  }).rules(refusing(({ operation }) => (operation === "DELETE" ? { operation: "UPDATE" } : {}))),
  mutant("token-that-is-issued-again-may-do-everything", "PRV-11 status").stores(lifting),
  mutant("token-that-a-user-issues-may-do-everything", "PRV-11 status").by({
    stores: lifting,
    profile: withoutSiblings
  }),
  notGuarded("link-is-not-guarded", calls.link, ["PRV-07", "PRV-08"]),
  notGuarded("unlink-is-not-guarded", calls.unlink, ["PRV-07", "PRV-08"]),
  notGuarded("transfer-is-not-guarded", calls.transfer, ["PRV-07", "PRV-08"]),
  notGuarded("bulk-link-is-not-guarded", calls.bulkLink, ["PRV-07"]),
  notGuarded("bulk-transfer-is-not-guarded", calls.bulkTransfer, ["PRV-07"]),
  mutant("refused-transfer-is-done", [
    "PRV-16 changed at body.data.attributes.owners.worker",
    "PRV-17 changed at body.data.attributes.owners.worker"
  ]).rewrite(refusedAndDone({ method: "POST", path: calls.transfer })),
  openToReaders("read-privilege-also-links", calls.link),
  openToReaders("read-privilege-also-unlinks", calls.unlink),
  openToReaders("read-privilege-also-transfers", calls.transfer),
  openToReaders("read-privilege-also-links-in-bulk", calls.bulkLink),
  openToReaders("read-privilege-also-transfers-in-bulk", calls.bulkTransfer)
]
