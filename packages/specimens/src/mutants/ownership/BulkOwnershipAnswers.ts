import type { Answer } from "@wcs/conformance/wire/Exchange"
import { at, type Json } from "@wcs/conformance/wire/Json"
import * as Answering from "../../Answering.ts"
import type { Mutant } from "../../Mutant.ts"
import { bulk, bulkLink, bulkTransfer, codeOf, itemsOf, statusOf, withNumbers } from "../../seams/BatchRewrite.ts"
import * as Rewrite from "../../seams/Rewrite.ts"

const isSkipped = (item: Json): boolean => statusOf(item) === "skipped"

const every = (answer: Answer, isSo: (item: Json) => boolean): boolean =>
  itemsOf(answer).length > 0 && itemsOf(answer).every(isSo)

/** The form of bulk answers. */
const envelopeMutants: ReadonlyArray<Mutant> = [
  {
    name: "bulk-leaves-out-numbers-that-are-0",
    rewrite: Rewrite.answers(
      { ...bulk, status: 200 },
      withNumbers((items) => ({
        ...(items.some(isSkipped) ? {} : { failed: undefined }),
        ...(items.every(isSkipped) ? { succeeded: undefined } : {})
      }))
    ),
    kills: [
      { rule: "BLK-01", kind: "missing", at: "body.meta.failed" },
      { rule: "BLK-02", kind: "missing", at: "body.meta.failed" }
    ]
  },
  {
    name: "bulk-link-answers-202",
    rewrite: Rewrite.answers({ ...bulkLink, status: 200 }, (answer) => ({ ...answer, status: 202 })),
    kills: [{ rule: "BLK-01", kind: "status", at: "status" }]
  },
  {
    name: "bulk-link-has-its-items-one-level-deeper",
    rewrite: Rewrite.answers(
      { ...bulkLink, status: 200 },
      Rewrite.mapJson((body) => Rewrite.put(body, "data", { items: at(body, "data") ?? [] }))
    ),
    kills: [{ rule: "BLK-01", kind: "missing", at: "body.data" }]
  },
  {
    name: "bulk-transfer-answers-201-where-all-is-moved",
    rewrite: Rewrite.answers({ ...bulkTransfer, status: 200 }, (answer) =>
      every(answer, (item) => statusOf(item) === "transferred") ? { ...answer, status: 201 } : answer
    ),
    kills: [{ rule: "BLK-02", kind: "status", at: "status" }]
  }
]

/** The counts in `meta`. */
const numberMutants: ReadonlyArray<Mutant> = [
  {
    name: "bulk-total-counts-what-was-done",
    rewrite: Rewrite.answers(
      { ...bulk, status: 200 },
      withNumbers((items) => ({ total: items.filter((item) => !isSkipped(item)).length }))
    ),
    kills: [{ rule: "BLK-07", kind: "wrong-value", at: "body.meta.total" }]
  },
  {
    name: "bulk-link-total-counts-what-was-done",
    rewrite: Rewrite.answers(
      { ...bulkLink, status: 200 },
      withNumbers((items) => ({ total: items.filter((item) => !isSkipped(item)).length }))
    ),
    kills: [{ rule: "BLK-07", kind: "wrong-value", at: "body.meta.total" }]
  },
  {
    name: "bulk-numbers-are-texts",
    rewrite: Rewrite.answers(
      { ...bulk, status: 200 },
      withNumbers((items) => ({
        total: String(items.length),
        succeeded: String(items.filter((item) => !isSkipped(item)).length),
        failed: String(items.filter(isSkipped).length)
      }))
    ),
    kills: [{ rule: "BLK-07", kind: "wrong-type", at: "body.meta.succeeded" }],
    alsoKills: ["BLK-18"]
  },
  {
    name: "bulk-failed-counts-what-was-not-done",
    rewrite: Rewrite.answers(
      { ...bulk, status: 200 },
      withNumbers((items) => {
        const failed = items.filter((item) => isSkipped(item) || statusOf(item) === "noop").length
        return { failed, succeeded: items.length - failed }
      })
    ),
    kills: [{ rule: "BLK-18", kind: "wrong-value", at: "body.meta.failed" }]
  },
  {
    name: "bulk-succeeded-leaves-out-what-was-so-already",
    rewrite: Rewrite.answers(
      { ...bulk, status: 200 },
      withNumbers((items) => ({
        succeeded: items.filter((item) => !isSkipped(item) && statusOf(item) !== "noop").length
      }))
    ),
    kills: [{ rule: "BLK-18", kind: "wrong-value", at: "body.meta.succeeded" }]
  }
]

const conflictCodes: ReadonlyArray<Json | undefined> = ["ALREADY_LINKED", "OWNER_MISMATCH"]
const isConflict = (item: Json): boolean => conflictCodes.includes(codeOf(item))

const conflict = (answer: Answer, code: string): Answer => Answering.refusal(answer, 409, code, "The batch conflicts.")

/** Batches that fail as a whole. */
const conflictMutants: ReadonlyArray<Mutant> = [
  {
    name: "bulk-transfer-is-409-where-all-of-it-conflicts",
    rewrite: Rewrite.answers({ ...bulkTransfer, status: 200 }, (answer) =>
      every(answer, isConflict) ? conflict(answer, "OWNER_MISMATCH") : answer
    ),
    kills: [{ rule: "BLK-12", kind: "status", at: "status" }]
  },
  {
    name: "bulk-link-is-409-where-all-of-it-conflicts",
    rewrite: Rewrite.answers({ ...bulkLink, status: 200 }, (answer) =>
      every(answer, isConflict) ? conflict(answer, "ALREADY_LINKED") : answer
    ),
    kills: [{ rule: "BLK-12", kind: "status", at: "status" }]
  },
  {
    name: "bulk-is-409-where-any-of-it-conflicts",
    rewrite: Rewrite.answers({ ...bulk, status: 200 }, (answer) =>
      itemsOf(answer).some(isConflict) ? conflict(answer, "ALREADY_LINKED") : answer
    ),
    kills: [{ rule: "BLK-12", kind: "status", at: "status" }]
  },
  {
    name: "bulk-of-501-ids-is-409",
    rewrite: Rewrite.answers({ ...bulk, status: 400, body: /(?:"cred_\w+",?){501}/ }, (answer) =>
      conflict(answer, "ALREADY_LINKED")
    ),
    kills: [{ rule: "BLK-12", kind: "status", at: "status" }]
  },
  {
    name: "bulk-transfer-to-nobody-is-409",
    rewrite: Rewrite.answers({ ...bulkTransfer, status: 200 }, (answer) =>
      every(answer, (item) => codeOf(item) === "UNPROCESSABLE") ? conflict(answer, "OWNER_MISMATCH") : answer
    ),
    kills: [{ rule: "BLK-12", kind: "status", at: "status" }]
  }
]

/** Defects of bulk answers as a whole. */
export const bulkOwnershipAnswerMutants: ReadonlyArray<Mutant> = [
  ...envelopeMutants,
  ...numberMutants,
  ...conflictMutants
]
