import { at, parse } from "@wcs/conformance/text/Json"
import type { Request } from "@wcs/conformance/wire/Exchange"
import { OwnershipStore } from "@wcs/domain/credential/OwnershipStore"
import { Effect } from "effect"
import * as Answering from "../../Answering.ts"
import { type Mutant, mutant } from "../../Mutant.ts"
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

/** Defects of the credentials in a batch. */
export const bulkOwnershipReachMutants: ReadonlyArray<Mutant> = [
  // How many credentials a batch accepts.
  mutant("bulk-takes-fewer-than-500-ids", "BLK-08 status").rewrite(refusing(bulk, 499)),
  mutant("bulk-link-takes-no-more-than-100-ids", "BLK-08 status").rewrite(refusing(bulkLink, 100)),
  mutant("bulk-answers-the-first-100-items", "BLK-08 wrong-value at body.data").answers(
    { ...bulk, status: 200 },
    withItems((items) => items.slice(0, 100))
  ),
  mutant("bulk-transfer-does-the-first-500-of-more-ids", "BLK-09 status").requests(
    bulkTransfer,
    withIds((ids) => ids.slice(0, 500))
  ),
  mutant("bulk-link-does-the-first-500-of-more-ids", "BLK-09 status").requests(
    bulkLink,
    withIds((ids) => ids.slice(0, 500))
  ),
  mutant("bulk-refuses-501-ids-and-does-the-first-500", "BLK-09 changed at body.data.attributes.owners.worker").rewrite(
    refusing(bulk, 500, 500)
  ), // Credentials selected by a batch without ids.
  mutant("bulk-transfer-without-ids-is-about-nothing", "BLK-10 wrong-value at body.data").requests(
    { ...bulkTransfer, body: withoutIds },
    withNoIds
  ),
  mutant("bulk-without-ids-is-about-the-first-one-alone", [
    "BLK-10 wrong-value at body.data",
    "BLK-11 wrong-value at body.data"
  ]).stores(holding(1)),
  mutant("bulk-of-more-than-one-is-lost", [
    "BLK-10 wrong-value at body.data.attributes.owners.worker",
    "BLK-11 wrong-value at body.data.attributes.owners.applicant"
  ]).stores(losing(({ action, changes }) => action?.startsWith("bulk") === true && changes.size > 1)),
  mutant("bulk-transfer-needs-ids", "BLK-10 status").answers(
    { ...bulkTransfer, body: withoutIds, status: 200 },
    (answer) => Answering.refusal(answer, 400, "INVALID_ARGUMENT", "credentialIds is needed.")
  ),
  mutant("bulk-transfer-of-an-empty-list-is-about-everything", "BLK-15 changed at body.data.attributes.owners.worker", {
    alsoKills: ["BLK-03"]
  }).requests(
    bulkTransfer,
    withIds((ids) => (ids.length === 0 ? undefined : ids))
  ),
  mutant("bulk-transfer-without-ids-answers-202-and-no-items", "BLK-10 wrong-value at body.data").answers(
    { ...bulkTransfer, body: withoutIds, status: 200 },
    (answer) => Answering.success(answer, 202, null)
  ),
  mutant("bulk-link-without-ids-is-about-nothing", "BLK-11 wrong-value at body.data").requests(
    { ...bulkLink, body: withoutIds },
    withNoIds
  ),
  mutant("bulk-link-needs-ids", "BLK-11 status").answers({ ...bulkLink, body: withoutIds, status: 200 }, (answer) =>
    Answering.refusal(answer, 400, "INVALID_ARGUMENT", "credentialIds is needed.")
  )
]
