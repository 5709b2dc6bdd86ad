import type { Request } from "@wcs/conformance/wire/Exchange"
import { isObject, parse } from "@wcs/conformance/wire/Json"
import { AccessStore } from "@wcs/domain/access/AccessStore"
import { Effect, Option } from "effect"
import * as Answering from "../../Answering.ts"
import type { Kill, Mutant } from "../../Mutant.ts"
import { open, openToWhoever, refusedAndDone, refusing, whereForbidden } from "../../seams/PrivilegeSeams.ts"
import * as Rewrite from "../../seams/Rewrite.ts"
import * as Seams from "../../seams/Seams.ts"

const statusOf = (rule: Kill["rule"]): Kill => ({ rule, kind: "status", at: "status" })

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

const orderMutants: ReadonlyArray<Mutant> = [
  {
    name: "broken-body-of-a-change-is-looked-at-before-the-privilege",
    rewrite: bodyFirst({ method: "PATCH", path: one }, isBroken),
    kills: [statusOf("PRV-07")]
  },
  {
    name: "form-of-a-change-is-looked-at-before-the-privilege",
    rewrite: bodyFirst({ method: "PUT", path: one }, isNoObject),
    kills: [statusOf("PRV-07")]
  },
  {
    name: "body-of-a-create-is-looked-at-before-the-privilege",
    rewrite: bodyFirst({ method: "POST", path: group }, (body) => isBroken(body) || isNoObject(body)),
    kills: [statusOf("PRV-07")],
    seenBy: ["PRV-02"]
  },
  {
    name: "read-looks-at-the-form-of-an-id-before-the-privilege",
    rewrite: Rewrite.answers({ method: "GET", path: /^\/credentials\/(?!cred_\w{16}$)[^/]+$/, status: 403 }, (answer) =>
      Answering.refusal(answer, 400, "INVALID_ARGUMENT", "id: is not a credential id.")
    ),
    kills: [statusOf("PRV-08")]
  },
  {
    name: "read-looks-for-the-credential-before-the-privilege",
    rewrite: idFirst({ method: "GET", path: one }),
    kills: [statusOf("PRV-08")],
    seenBy: ["PRV-02"]
  },
  {
    name: "change-looks-for-its-target-before-the-privilege",
    rewrite: idFirst({ method: "PATCH", path: one }),
    kills: [statusOf("PRV-08")],
    seenBy: ["PRV-03"]
  },
  {
    name: "delete-looks-for-its-target-before-the-privilege",
    rewrite: idFirst({ method: "DELETE", path: one }),
    kills: [statusOf("PRV-08")],
    seenBy: ["PRV-04"]
  }
]

const doneMutants: ReadonlyArray<Mutant> = [
  {
    name: "refused-worker-is-made",
    rewrite: refusedAndDone({ method: "POST", path: /^\/workers$/, body: /^\{.*\}$/s }),
    kills: [{ rule: "PRV-09", kind: "changed", at: "body.data" }],
    seenBy: ["PRV-02"]
  },
  {
    name: "refused-credential-is-made",
    rewrite: refusedAndDone({ method: "POST", path: /^\/credentials$/, body: /^\{.*\}$/s }),
    kills: [{ rule: "PRV-09", kind: "changed", at: "body.data" }],
    seenBy: ["PRV-02"]
  },
  {
    name: "refused-change-is-made",
    rewrite: refusedAndDone({ method: "PATCH", path: one }),
    kills: [{ rule: "PRV-09", kind: "changed", at: "body.data" }]
  },
  {
    name: "refused-delete-is-made",
    rewrite: refusedAndDone({ method: "DELETE", path: one }),
    kills: [{ rule: "PRV-09", kind: "changed", at: "body.data.id" }],
    seenBy: ["PRV-04"]
  }
]

const messageOf = (rule: Kill["rule"]): Kill => ({ rule, kind: "wrong-value", at: "body.error.message" })

const messageMutants: ReadonlyArray<Mutant> = [
  {
    name: "refusal-names-another-account",
    rules: refusing(() => ({ account: "urn:wcs:account:usr_0000000000000000" })),
    kills: [messageOf("PRV-10")]
  },
  {
    name: "refusal-names-nobody",
    rewrite: Rewrite.answers(
      { method: "GET", status: 403 },
      Rewrite.mapJson((body) => Rewrite.put(body, "error.message", "You are unauthorized to READ this."))
    ),
    kills: [messageOf("PRV-10")]
  },
  {
    name: "refused-create-is-told-as-an-update",
    rules: refusing(({ operation }) => (operation === "CREATE" ? { operation: "UPDATE" } : {})),
    kills: [messageOf("PRV-10")],
    seenBy: ["PRV-02"]
  },
  {
    name: "refused-update-is-told-as-a-create",
    rules: refusing(({ operation }) => (operation === "UPDATE" ? { operation: "CREATE" } : {})),
    kills: [messageOf("PRV-10")],
    seenBy: ["PRV-03"]
  },
  {
    name: "refused-delete-is-told-as-an-update",
    rules: refusing(({ operation }) => (operation === "DELETE" ? { operation: "UPDATE" } : {})),
    kills: [messageOf("PRV-10")],
    seenBy: ["PRV-04"]
  }
]

/** Tokens of accounts with older tokens have every privilege. */
const lifting = Seams.store(AccessStore, ({ findPersonalToken, listPersonalTokens }) => ({
  findPersonalToken: Effect.fnUntraced(function* (hash) {
    const found = yield* findPersonalToken(hash)
    if (Option.isNone(found)) return found
    const { account, token } = found.value
    const tokens = yield* listPersonalTokens(token.tenantId)
    const [first] = tokens.filter(({ accountId }) => accountId === account.id)
    return first?.id === token.id
      ? found
      : Option.some({ token, account: { ...account, role: "Super Admin" as const } })
  })
}))

const reissuedMutants: ReadonlyArray<Mutant> = [
  {
    name: "token-that-is-issued-again-may-do-everything",
    stores: lifting,
    kills: [statusOf("PRV-11")]
  }
]

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

const notGuarded = (name: string, path: RegExp): Mutant => ({
  name,
  rewrite: open({ method: "POST", path }),
  kills: [statusOf("PRV-16"), statusOf("PRV-17")]
})

const openToReaders = (name: string, path: RegExp): Mutant => ({
  name,
  rewrite: openToWhoever({ method: "POST", path }, reading),
  kills: [statusOf("PRV-17")]
})

const ownershipMutants: ReadonlyArray<Mutant> = [
  notGuarded("link-is-not-guarded", calls.link),
  notGuarded("unlink-is-not-guarded", calls.unlink),
  notGuarded("transfer-is-not-guarded", calls.transfer),
  notGuarded("bulk-link-is-not-guarded", calls.bulkLink),
  notGuarded("bulk-transfer-is-not-guarded", calls.bulkTransfer),
  {
    name: "refused-transfer-is-done",
    rewrite: refusedAndDone({ method: "POST", path: calls.transfer }),
    kills: [
      { rule: "PRV-16", kind: "changed", at: "body.data.attributes.owners.worker" },
      { rule: "PRV-17", kind: "changed", at: "body.data.attributes.owners.worker" }
    ]
  },
  openToReaders("whoever-may-read-may-link", calls.link),
  openToReaders("whoever-may-read-may-unlink", calls.unlink),
  openToReaders("whoever-may-read-may-transfer", calls.transfer),
  openToReaders("whoever-may-read-may-link-in-bulk", calls.bulkLink),
  openToReaders("whoever-may-read-may-transfer-in-bulk", calls.bulkTransfer)
]

/** Defects of refusals for a missing privilege. */
export const privilegeRefusalMutants: ReadonlyArray<Mutant> = [
  ...orderMutants,
  ...doneMutants,
  ...messageMutants,
  ...reissuedMutants,
  ...ownershipMutants
]
