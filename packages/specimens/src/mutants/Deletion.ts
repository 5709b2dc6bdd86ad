import type { Answer } from "@wcs/conformance/wire/Exchange"
import { noRecords } from "@wcs/domain/resource/ChangeRecords"
import { ResourceStore } from "@wcs/domain/resource/ResourceStore"
import { Effect, Result } from "effect"
import * as Answering from "../Answering.ts"
import type { Mutant } from "../Mutant.ts"
import type { Serve } from "../Serve.ts"
import * as Rewrite from "../seams/Rewrite.ts"
import * as Seams from "../seams/Seams.ts"

const remove = { method: "DELETE", path: /^\/(workers|credentials)\/[^/]+$/, status: 204 }

const removeOf = (group: string) => ({ ...remove, path: new RegExp(`^/${group}/[^/]+$`) })

/** Changes the answer to a repeated delete. */
const secondTime =
  (change: (answer: Answer) => Answer, where: Rewrite.Where = remove) =>
  (serve: Serve): Serve => {
    const deleted = new Set<string>()
    return Rewrite.answers(where, (answer, { url }) => {
      if (deleted.has(url)) return change(answer)
      deleted.add(url)
      return answer
    })(serve)
  }

/** A store in which a repeated delete restores resources of these types. */
const restoring = (...types: ReadonlyArray<string>) =>
  Seams.store(ResourceStore, ({ change }) => ({
    change: (resource, tenantId, id, references, decide, holdingsOf) =>
      Effect.tap(change(resource, tenantId, id, references, decide, holdingsOf), (decided) =>
        types.includes(resource.type) && decided._tag === "Unchanged" && decided.current.deletedAt !== null
          ? change(resource, tenantId, id, [], ({ current }) =>
              Result.map(
                Result.fromOption(current, () => "gone"),
                (stored) => ({
                  _tag: "Changed",
                  next: { ...stored, version: stored.version + 1, deletedAt: null },
                  records: noRecords
                })
              )
            ).pipe(Effect.orDie)
          : Effect.void
      )
  }))

/** Defects of deletes. */
export const deletionMutants: ReadonlyArray<Mutant> = [
  {
    name: "delete-answers-200",
    rewrite: Rewrite.answers(remove, (answer) => Answering.success(answer, 200, null)),
    kills: [
      { rule: "DEL-01", kind: "status", at: "status" },
      { rule: "DEL-07", kind: "status", at: "status" }
    ]
  },
  {
    name: "delete-of-an-applicant-answers-200",
    rewrite: Rewrite.answers(removeOf("applicants"), (answer) => Answering.success(answer, 200, null)),
    kills: [
      { rule: "DEL-03", kind: "status", at: "status" },
      { rule: "DEL-07", kind: "status", at: "status" }
    ]
  },
  {
    name: "delete-answers-204-and-a-body",
    rewrite: Rewrite.answers(remove, (answer) => Answering.success(answer, 204, null)),
    kills: [{ rule: "DEL-01", kind: "unexpected", at: "body" }]
  },
  {
    name: "second-delete-is-404",
    rewrite: secondTime((answer) => Answering.refusal(answer, 404, "NOT_FOUND", "The resource does not exist.")),
    kills: [
      { rule: "DEL-02", kind: "status", at: "status" },
      { rule: "DEL-07", kind: "status", at: "status" }
    ]
  },
  {
    name: "second-delete-brings-it-back",
    stores: restoring("worker", "credential"),
    kills: [{ rule: "DEL-02", kind: "changed", at: "status and body" }]
  },
  {
    name: "second-delete-of-an-exemption-is-404",
    rewrite: secondTime(
      (answer) => Answering.refusal(answer, 404, "NOT_FOUND", "The resource does not exist."),
      removeOf("exemptions")
    ),
    kills: [
      { rule: "DEL-03", kind: "status", at: "status" },
      { rule: "DEL-07", kind: "status", at: "status" }
    ]
  },
  {
    name: "second-delete-of-a-recruitment-check-is-a-conflict",
    rewrite: secondTime(
      (answer) => Answering.refusal(answer, 409, "CONFLICT", "It is closed."),
      removeOf("recruitment-checks")
    ),
    kills: [
      { rule: "DEL-03", kind: "status", at: "status" },
      { rule: "DEL-07", kind: "status", at: "status" }
    ],
    alsoKills: ["ENV-03"]
  },
  {
    name: "second-delete-of-a-screening-package-brings-it-back",
    stores: restoring("screeningPackage"),
    kills: [{ rule: "DEL-03", kind: "changed", at: "status and body" }]
  },
  {
    name: "delete-of-a-compliance-check-answers-with-a-body",
    rewrite: Rewrite.answers(removeOf("compliance-checks"), (answer) => Answering.success(answer, 204, null)),
    kills: [{ rule: "DEL-03", kind: "unexpected", at: "body" }]
  },
  {
    name: "second-delete-answers-200",
    rewrite: secondTime((answer) => Answering.success(answer, 200, null)),
    kills: [{ rule: "DEL-07", kind: "status", at: "status" }]
  }
]
