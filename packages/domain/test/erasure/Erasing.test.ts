import { assert, describe, it } from "@effect/vitest"
import { serverActing } from "@wcs/domain/audit/AuditEntry"
import { type Erasure, reasons, rowsOf } from "@wcs/domain/erasure/Erasure"
import { begun } from "@wcs/domain/erasure/Erasures"
import { Worker, type WorkerFields } from "@wcs/domain/people/Worker"
import { erase, isErased } from "@wcs/domain/resource/Erasing"
import type { Resource } from "@wcs/domain/resource/Resource"
import { at, type JsonObject, type Path, put } from "@wcs/domain/shared/Json"
import { Option, Result, type SchemaAST } from "effect"
import { stored } from "../screening/StoredFields.ts"

const consentOf = (path: string): ReadonlyArray<string> =>
  ["version", "language", "text", "notice", "retentionDays", "at"].map((name) => `${path}.${name}`)

/** What stays of each document: ids of the service, codes, verdicts and the days of verdicts. */
const kept: Readonly<Record<string, ReadonlyArray<string>>> = {
  worker: ["erasedAt", "mergedInto.id"],
  applicant: ["status", "erasedAt"],
  credential: [
    ...["credentialType", "jurisdiction", "expiryDate", "expiryDateOrigin", "eligibility", "statusDetail"],
    ...[
      "lastVerifiedAt",
      "statusSince",
      "lastCorrelationId",
      "lastKnown.eligibility",
      "lastKnown.since",
      "lastKnown.statusDetail",
      "erasedAt"
    ],
    ...["owners.worker", "owners.applicant", "cleared.expiryDate", "cleared.jurisdiction"]
  ].map((name) => `attributes.${name}`),
  exemption: [
    ...["exemptionType", "worker.id", "applicant.id", "jurisdiction", "issueDate", "expiryDate"],
    "exemptedCredentialTypes"
  ],
  ban: ["register", "worker.id", "checkedAt", "eligibility"],
  captureRequest: [
    ...["worker.id", "requestedCredentialTypes", "expiryDays", "status", "expiryDate", "sentAt", "remindedAt"]
  ],
  credentialCheck: [
    ...["applicant.id", "screeningPackageCode", "expiryDays", "status", "expiryDate", "sentAt", "remindedAt"],
    ...["requirements.credentialTypes", "requirements.exemptionTypes", "requirements.banChecks"]
  ],
  // The consent has the words of the organization alone.
  answer: [
    ...["state", "request.type", "request.id", "worker.id", "applicant.id", "submittedAt", "credentials"],
    ...consentOf("consent"),
    ...["decision.by.id", "decision.at", "previous.state", "previous.by.id", "previous.at", "previous.credentials"],
    ...consentOf("previous.consent")
  ]
}

const resources: ReadonlyArray<Resource> = [
  ...new Set([Worker, ...rowsOf.worker, ...rowsOf.applicant].map((each) => ("resource" in each ? each.resource : each)))
]

/** The paths of a document, below objects. */
const pathsIn = (ast: SchemaAST.AST, from: Path = []): ReadonlyArray<Path> =>
  ast._tag === "Objects" && ast.propertySignatures.length > 0
    ? ast.propertySignatures.flatMap(({ name, type }) => pathsIn(type, [...from, String(name)]))
    : [from]

const isBelow = (path: Path, above: Path): boolean => above.every((key, index) => path[index] === key)

const now = Date.UTC(2026, 0, 31)

describe("an erasure", () => {
  for (const resource of resources) {
    it(`threat 61: decides on every field of a ${resource.type}`, () => {
      const undecided = pathsIn(resource.fields.ast).filter(
        (path) => !(resource.personal ?? []).some((each) => isBelow(path, each.path))
      )
      assert.sameMembers(
        undecided.map((path) => path.join(".")),
        [...(kept[resource.type] ?? [])]
      )
    })

    it(`removes what is personal from a ${resource.type}, deletes it, and changes nothing again`, () => {
      const planted = (resource.personal ?? []).reduce<JsonObject>(
        (fields, { path }) => put(fields, path, { planted: ["Planted"] }),
        { kept: "kept" }
      )
      const before = stored(planted)
      const after = erase(resource, before, now)
      assert.notInclude(JSON.stringify(after), "lanted")
      assert.deepInclude(after, { version: before.version + 1, updatedAt: now, deletedAt: now })
      assert.strictEqual(at(after.fields, ["kept"]), "kept")
      assert.strictEqual(erase(resource, after, now + 1), after)
      const long = erase(resource, { ...before, deletedAt: 5 }, now)
      assert.strictEqual(long.deletedAt, 5)
    })
  }

  it("is begun once: a repeated call changes nothing and keeps the first reason", () => {
    const worker = stored<WorkerFields>({ identity: { displayName: "Ann" } }, { id: "wkr_00000000000000aa" })
    const asked = { actor: serverActing("request"), auditId: () => "aud_1", now }
    const decide = (erasure: Option.Option<Erasure>, reason: Erasure["reason"], of = worker) =>
      Result.getOrThrow(begun("tnt_1", worker.id, { worker: Option.some(of), erasure }, { ...asked, reason }))
    const first = decide(Option.none(), "PERSON_ASKED")
    assert.isTrue(isErased(Worker, first.next?.fields ?? {}))
    assert.deepStrictEqual(
      first.records.audit.map(({ action, entityId, operation }) => [operation, action, entityId]),
      [["DELETE", "erase", worker.id]]
    )
    const again = decide(Option.some(first.erasure), "OTHER", first.next ?? worker)
    assert.deepStrictEqual(again, { erasure: first.erasure, next: undefined, records: { audit: [], events: [] } })
    // A restored backup has the person again.
    const due = decide(Option.some({ ...first.erasure, status: "DUE" }), "OTHER")
    assert.deepStrictEqual([due.erasure.status, due.erasure.reason], ["ERASING", "PERSON_ASKED"])
    assert.isDefined(due.next)
    assert.include(reasons, due.erasure.reason)
  })

  it("is refused for a worker that never existed", () => {
    const asked = { actor: serverActing("request"), auditId: () => "aud_1", now, reason: "OTHER" as const }
    const basis = { worker: Option.none(), erasure: Option.none() }
    assert.isTrue(Result.isFailure(begun("tnt_1", "wkr_00000000000000aa", basis, asked)))
  })
})
