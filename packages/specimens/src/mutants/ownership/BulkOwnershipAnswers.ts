import { at, type Json } from "@wcs/conformance/text/Json"
import type { Answer } from "@wcs/conformance/wire/Exchange"
import * as Answering from "../../Answering.ts"
import { type Mutant, mutant } from "../../Mutant.ts"
import { bulk, bulkLink, bulkTransfer, codeOf, itemsOf, statusOf, withNumbers } from "../../seams/BatchRewrite.ts"
import * as Rewrite from "../../seams/Rewrite.ts"

const isSkipped = (item: Json): boolean => statusOf(item) === "skipped"

const every = (answer: Answer, isSo: (item: Json) => boolean): boolean =>
  itemsOf(answer).length > 0 && itemsOf(answer).every(isSo)

const conflictCodes: ReadonlyArray<Json | undefined> = ["ALREADY_LINKED", "OWNER_MISMATCH"]
const isConflict = (item: Json): boolean => conflictCodes.includes(codeOf(item))

const conflict = (answer: Answer, code: string): Answer => Answering.refusal(answer, 409, code, "The batch conflicts.")

/** Defects of bulk answers as a whole. */
export const bulkOwnershipAnswerMutants: ReadonlyArray<Mutant> = [
  // The form of bulk answers.
  mutant(
    "bulk-leaves-out-numbers-that-are-0",
    ["BLK-01 missing at body.meta.failed", "BLK-02 missing at body.meta.failed"],
    { alsoKills: ["BLK-07", "BLK-18"] }
  ).answers(
    { ...bulk, status: 200 },
    withNumbers((items) => ({
      ...(items.some(isSkipped) ? {} : { failed: undefined }),
      ...(items.every(isSkipped) ? { succeeded: undefined } : {})
    }))
  ),
  mutant("bulk-link-answers-202", "BLK-01 status").answers({ ...bulkLink, status: 200 }, (answer) => ({
    ...answer,
    status: 202
  })),
  mutant("bulk-link-has-its-items-one-level-deeper", "BLK-01 missing at body.data").answers(
    { ...bulkLink, status: 200 },
    Rewrite.mapJson((body) => Rewrite.put(body, "data", { items: at(body, "data") ?? [] }))
  ),
  mutant("bulk-transfer-answers-201-where-all-is-moved", "BLK-02 status").answers(
    { ...bulkTransfer, status: 200 },
    (answer) => (every(answer, (item) => statusOf(item) === "transferred") ? { ...answer, status: 201 } : answer)
  ),
  // The counts in `meta`.
  mutant("bulk-total-counts-what-was-done", "BLK-07 wrong-value at body.meta.total").answers(
    { ...bulk, status: 200 },
    withNumbers((items) => ({ total: items.filter((item) => !isSkipped(item)).length }))
  ),
  mutant("bulk-link-total-counts-what-was-done", "BLK-07 wrong-value at body.meta.total").answers(
    { ...bulkLink, status: 200 },
    withNumbers((items) => ({ total: items.filter((item) => !isSkipped(item)).length }))
  ),
  mutant("bulk-numbers-are-texts", "BLK-07 wrong-type at body.meta.succeeded", { alsoKills: ["BLK-18"] }).answers(
    { ...bulk, status: 200 },
    withNumbers((items) => ({
      total: String(items.length),
      succeeded: String(items.filter((item) => !isSkipped(item)).length),
      failed: String(items.filter(isSkipped).length)
    }))
  ),
  mutant("bulk-failed-counts-what-was-not-done", "BLK-18 wrong-value at body.meta.failed").answers(
    { ...bulk, status: 200 },
    withNumbers((items) => {
      const failed = items.filter((item) => isSkipped(item) || statusOf(item) === "noop").length
      return { failed, succeeded: items.length - failed }
    })
  ),
  mutant("bulk-succeeded-leaves-out-what-was-so-already", "BLK-18 wrong-value at body.meta.succeeded").answers(
    { ...bulk, status: 200 },
    withNumbers((items) => ({
      succeeded: items.filter((item) => !isSkipped(item) && statusOf(item) !== "noop").length
    }))
  ),
  // Batches that fail as a whole.
  mutant("bulk-transfer-is-409-where-all-of-it-conflicts", "BLK-12 status").answers(
    { ...bulkTransfer, status: 200 },
    (answer) => (every(answer, isConflict) ? conflict(answer, "OWNER_MISMATCH") : answer)
  ),
  mutant("bulk-link-is-409-where-all-of-it-conflicts", "BLK-12 status").answers(
    { ...bulkLink, status: 200 },
    (answer) => (every(answer, isConflict) ? conflict(answer, "ALREADY_LINKED") : answer)
  ),
  mutant("bulk-is-409-where-any-of-it-conflicts", "BLK-12 status").answers({ ...bulk, status: 200 }, (answer) =>
    itemsOf(answer).some(isConflict) ? conflict(answer, "ALREADY_LINKED") : answer
  ),
  mutant("bulk-of-501-ids-is-409", "BLK-12 status").answers(
    { ...bulk, status: 400, body: /(?:"cred_\w+",?){501}/ },
    (answer) => conflict(answer, "ALREADY_LINKED")
  ),
  mutant("bulk-transfer-to-nobody-is-409", "BLK-12 status").answers({ ...bulkTransfer, status: 200 }, (answer) =>
    every(answer, (item) => codeOf(item) === "UNPROCESSABLE") ? conflict(answer, "OWNER_MISMATCH") : answer
  )
]
