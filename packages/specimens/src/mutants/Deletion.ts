import { at, equals } from "@wcs/conformance/text/Json"
import type { Answer } from "@wcs/conformance/wire/Exchange"
import { noRecords } from "@wcs/domain/crud/ChangeRecords"
import { ResourceStore } from "@wcs/domain/crud/ResourceStore"
import { Effect, Result } from "effect"
import * as Answering from "../Answering.ts"
import { type Mutant, mutant } from "../Mutant.ts"
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

const brokenDown = (answer: Answer): Answer => Answering.refusal(answer, 500, "INTERNAL", "Internal error.")

/** Defects of deletes. */
export const deletionMutants: ReadonlyArray<Mutant> = [
  mutant("delete-answers-200", ["DEL-01 status", "DEL-07 status"]).answers(remove, (answer) =>
    Answering.success(answer, 200, null)
  ),
  mutant("delete-of-an-applicant-answers-200", ["DEL-03 status", "DEL-07 status"]).answers(
    removeOf("applicants"),
    (answer) => Answering.success(answer, 200, null)
  ),
  mutant("delete-answers-204-and-a-body", "DEL-01 unexpected at body").answers(remove, (answer) =>
    Answering.success(answer, 204, null)
  ),
  mutant("second-delete-is-404", ["DEL-02 status", "DEL-07 status"]).rewrite(
    secondTime((answer) => Answering.refusal(answer, 404, "NOT_FOUND", "The resource does not exist."))
  ),
  mutant("second-delete-brings-it-back", "DEL-02 changed at status and body").stores(restoring("worker", "credential")),
  mutant("lookups-of-nobody-fail", "DEL-02 status").answers(
    { method: "GET", path: /^\/workers\?externalId=/, status: 200 },
    (answer) => (equals(at(answer.json, "data") ?? null, []) ? brokenDown(answer) : answer)
  ),
  mutant("second-delete-of-an-exemption-is-404", ["DEL-03 status", "DEL-07 status"]).rewrite(
    secondTime(
      (answer) => Answering.refusal(answer, 404, "NOT_FOUND", "The resource does not exist."),
      removeOf("exemptions")
    )
  ),
  mutant("second-delete-of-a-recruitment-check-is-a-conflict", ["DEL-03 status", "DEL-07 status"], {
    alsoKills: ["ENV-03"]
  }).rewrite(
    secondTime((answer) => Answering.refusal(answer, 409, "CONFLICT", "It is closed."), removeOf("recruitment-checks"))
  ),
  mutant("second-delete-of-a-screening-package-brings-it-back", "DEL-03 changed at status and body").stores(
    restoring("screeningPackage")
  ),
  mutant("delete-of-a-compliance-check-answers-with-a-body", "DEL-03 unexpected at body").answers(
    removeOf("compliance-checks"),
    (answer) => Answering.success(answer, 204, null)
  ),
  mutant("second-delete-answers-200", "DEL-07 status").rewrite(
    secondTime((answer) => Answering.success(answer, 200, null))
  )
]
