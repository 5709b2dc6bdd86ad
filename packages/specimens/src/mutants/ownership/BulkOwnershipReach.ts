import type { Request } from "@wcs/conformance/wire/Exchange"
import { at, parse } from "@wcs/conformance/wire/Json"
import { OwnershipStore } from "@wcs/domain/ownership/OwnershipStore"
import { Effect } from "effect"
import * as Answering from "../../Answering.ts"
import type { Mutant } from "../../Mutant.ts"
import { bulk, bulkLink, bulkTransfer, withIds, withItems } from "../../seams/BatchRewrite.ts"
import { losing } from "../../seams/OwnershipSeams.ts"
import * as Rewrite from "../../seams/Rewrite.ts"
import * as Seams from "../../seams/Seams.ts"

const countOf = ({ body }: Request): number => {
  const ids = at(parse(body), "credentialIds")
  return Array.isArray(ids) ? ids.length : 0
}

/** Refuses batches above this number of ids; `doneBefore` of them still take effect. */
const refusing = (where: Rewrite.Where, limit: number, doneBefore = 0) =>
  Rewrite.instead(where, (request, serve) =>
    countOf(request) > limit
      ? Effect.map(serve(withIds((ids) => ids.slice(0, doneBefore))(request)), (answer) =>
          Answering.refusal(answer, 400, "INVALID_ARGUMENT", "credentialIds has too many ids.")
        )
      : serve(request)
  )

/** How many credentials a batch accepts. */
const limitMutants: ReadonlyArray<Mutant> = [
  {
    name: "bulk-takes-fewer-than-500-ids",
    rewrite: refusing(bulk, 499),
    kills: [{ rule: "BLK-08", kind: "status", at: "status" }]
  },
  {
    name: "bulk-link-takes-no-more-than-100-ids",
    rewrite: refusing(bulkLink, 100),
    kills: [{ rule: "BLK-08", kind: "status", at: "status" }]
  },
  {
    name: "bulk-answers-the-first-100-items",
    rewrite: Rewrite.answers(
      { ...bulk, status: 200 },
      withItems((items) => items.slice(0, 100))
    ),
    kills: [{ rule: "BLK-08", kind: "wrong-value", at: "body.data" }]
  },
  {
    name: "bulk-transfer-does-the-first-500-of-more-ids",
    rewrite: Rewrite.requests(
      bulkTransfer,
      withIds((ids) => ids.slice(0, 500))
    ),
    kills: [{ rule: "BLK-09", kind: "status", at: "status" }]
  },
  {
    name: "bulk-link-does-the-first-500-of-more-ids",
    rewrite: Rewrite.requests(
      bulkLink,
      withIds((ids) => ids.slice(0, 500))
    ),
    kills: [{ rule: "BLK-09", kind: "status", at: "status" }]
  },
  {
    name: "bulk-refuses-501-ids-and-does-the-first-500",
    rewrite: refusing(bulk, 500, 500),
    kills: [{ rule: "BLK-09", kind: "changed", at: "body.data.attributes.owners.worker" }]
  }
]

/** A batch without ids covers at most this many of an owner's credentials. */
const holding = (limit: number) =>
  Seams.store(OwnershipStore, ({ transition }) => ({
    transition: (tenantId, chosen, entering, decide) =>
      transition(tenantId, chosen._tag === "HeldBy" ? { ...chosen, limit } : chosen, entering, decide)
  }))

const withoutIds = /^(?!.*"credentialIds")/

const withNoIds = (request: Request): Request => ({
  ...request,
  body: JSON.stringify(Rewrite.put(parse(request.body) ?? null, "credentialIds", []))
})

/** Credentials selected by a batch without ids. */
const selectionMutants: ReadonlyArray<Mutant> = [
  {
    name: "bulk-transfer-without-ids-is-about-nothing",
    rewrite: Rewrite.requests({ ...bulkTransfer, body: withoutIds }, withNoIds),
    kills: [{ rule: "BLK-10", kind: "wrong-value", at: "body.data" }]
  },
  {
    name: "bulk-without-ids-is-about-the-first-one-alone",
    stores: holding(1),
    kills: [
      { rule: "BLK-10", kind: "wrong-value", at: "body.data" },
      { rule: "BLK-11", kind: "wrong-value", at: "body.data" }
    ]
  },
  {
    name: "bulk-of-more-than-one-is-lost",
    stores: losing(({ action, changes }) => action?.startsWith("bulk") === true && changes.size > 1),
    kills: [
      { rule: "BLK-10", kind: "wrong-value", at: "body.data.attributes.owners.worker" },
      { rule: "BLK-11", kind: "wrong-value", at: "body.data.attributes.owners.applicant" }
    ]
  },
  {
    name: "bulk-transfer-needs-ids",
    rewrite: Rewrite.answers({ ...bulkTransfer, body: withoutIds, status: 200 }, (answer) =>
      Answering.refusal(answer, 400, "INVALID_ARGUMENT", "credentialIds is needed.")
    ),
    kills: [{ rule: "BLK-10", kind: "status", at: "status" }]
  },
  {
    name: "bulk-transfer-of-an-empty-list-is-about-everything",
    rewrite: Rewrite.requests(
      bulkTransfer,
      withIds((ids) => (ids.length === 0 ? undefined : ids))
    ),
    kills: [{ rule: "BLK-15", kind: "changed", at: "body.data.attributes.owners.worker" }]
  },
  {
    name: "bulk-transfer-without-ids-answers-202-and-no-items",
    rewrite: Rewrite.answers({ ...bulkTransfer, body: withoutIds, status: 200 }, (answer) =>
      Answering.success(answer, 202, null)
    ),
    kills: [{ rule: "BLK-10", kind: "wrong-value", at: "body.data" }]
  },
  {
    name: "bulk-link-without-ids-is-about-nothing",
    rewrite: Rewrite.requests({ ...bulkLink, body: withoutIds }, withNoIds),
    kills: [{ rule: "BLK-11", kind: "wrong-value", at: "body.data" }]
  },
  {
    name: "bulk-link-needs-ids",
    rewrite: Rewrite.answers({ ...bulkLink, body: withoutIds, status: 200 }, (answer) =>
      Answering.refusal(answer, 400, "INVALID_ARGUMENT", "credentialIds is needed.")
    ),
    kills: [{ rule: "BLK-11", kind: "status", at: "status" }]
  }
]

/** Defects of the credentials in a batch. */
export const bulkOwnershipReachMutants: ReadonlyArray<Mutant> = [...limitMutants, ...selectionMutants]
