import { at, parse } from "@wcs/conformance/wire/Json"
import * as Answering from "../Answering.ts"
import type { Mutant } from "../Mutant.ts"
import { type Key, remembering, secondTime, withPrefix } from "../seams/Creates.ts"
import * as Rewrite from "../seams/Rewrite.ts"

const create = { method: "POST", path: /^\/credentials$/ }
const read = { method: "GET", path: /^\/credentials\/cred_[^/]+$/, status: 200 }
const owners = "data.attributes.owners"

/** Answers to creates. */
const createMutants: ReadonlyArray<Mutant> = [
  {
    name: "credential-create-answers-200",
    rewrite: Rewrite.answers({ ...create, status: 201 }, (answer) => ({ ...answer, status: 200 })),
    kills: [{ rule: "CRD-01", kind: "status", at: "status" }]
  },
  {
    name: "credential-create-has-no-location",
    rewrite: Rewrite.answers({ ...create, status: 201 }, (answer) => Rewrite.withHeader(answer, "Location", undefined)),
    kills: [{ rule: "CRD-01", kind: "missing", at: "header location" }]
  },
  {
    name: "credential-create-has-an-empty-location",
    rewrite: Rewrite.answers({ ...create, status: 201 }, (answer) => Rewrite.withHeader(answer, "Location", "")),
    kills: [{ rule: "CRD-01", kind: "wrong-value", at: "header location" }]
  },
  {
    name: "credential-create-has-no-correlation-id",
    rewrite: Rewrite.answers(
      { ...create, status: 201 },
      Rewrite.mapJson((body) => Rewrite.put(body, "meta.correlationId", undefined))
    ),
    kills: [{ rule: "CRD-02", kind: "missing", at: "body.meta.correlationId" }]
  },
  {
    name: "credential-create-has-null-for-a-correlation-id",
    rewrite: Rewrite.answers(
      { ...create, status: 201 },
      Rewrite.mapJson((body) => Rewrite.put(body, "meta.correlationId", null))
    ),
    kills: [{ rule: "CRD-02", kind: "wrong-type", at: "body.meta.correlationId" }]
  }
]

const ownersIn: Key = ({ body }) => JSON.stringify(at(parse(body), "attributes.owners") ?? null)
const wordsOf: Key = ({ body }) => body

/** Ids of created credentials. */
const idMutants: ReadonlyArray<Mutant> = [
  {
    name: "credential-ids-begin-otherwise",
    rewrite: withPrefix("cred_", "credential-"),
    kills: [{ rule: "CRD-03", kind: "wrong-value", at: "body.data.id" }]
  },
  {
    name: "credential-create-answers-with-what-the-owner-has",
    rewrite: remembering(create, ownersIn),
    kills: [
      { rule: "CRD-03", kind: "repeated", at: "body.data.id" },
      { rule: "CRD-08", kind: "repeated", at: "body.data.id" }
    ]
  },
  {
    name: "credential-create-said-twice-answers-with-the-first",
    rewrite: remembering(create, wordsOf),
    kills: [{ rule: "CRD-08", kind: "repeated", at: "body.data.id" }]
  },
  {
    name: "credential-create-said-twice-breaks-down",
    rewrite: secondTime(create, wordsOf, (answer) => Answering.refusal(answer, 500, "INTERNAL", "Internal error.")),
    kills: [{ rule: "CRD-08", kind: "status", at: "status" }]
  },
  {
    name: "applicant-ids-begin-otherwise",
    rewrite: withPrefix("app_", "applicant-"),
    kills: [{ rule: "CRD-10", kind: "wrong-value", at: "body.data.id" }]
  }
]

/** Owners in reads. */
const ownerMutants: ReadonlyArray<Mutant> = [
  {
    name: "credential-leaves-an-empty-slot-out",
    rewrite: Rewrite.answers(
      read,
      Rewrite.mapJson((body) =>
        at(body, `${owners}.applicant`) === null ? Rewrite.put(body, `${owners}.applicant`, undefined) : body
      )
    ),
    kills: [{ rule: "CRD-04", kind: "missing", at: "body.data.attributes.owners.applicant" }]
  },
  {
    name: "credential-shows-its-owners-beside-its-attributes",
    rewrite: Rewrite.answers(
      read,
      Rewrite.mapJson((body) => Rewrite.put(Rewrite.put(body, "data.owners", at(body, owners)), owners, undefined))
    ),
    kills: [{ rule: "CRD-04", kind: "missing", at: "body.data.attributes.owners" }],
    alsoKills: ["CRD-05"]
  },
  {
    name: "credential-read-shows-no-id",
    rewrite: Rewrite.answers(
      read,
      Rewrite.mapJson((body) => Rewrite.put(body, "data.id", undefined))
    ),
    kills: [{ rule: "CRD-04", kind: "missing", at: "body.data.id" }]
  },
  {
    name: "credential-shows-a-list-in-a-slot",
    rewrite: Rewrite.answers(
      read,
      Rewrite.mapJson((body) => {
        const worker = at(body, `${owners}.worker`) ?? null
        return Rewrite.put(body, `${owners}.worker`, worker === null ? [] : [worker])
      })
    ),
    kills: [{ rule: "CRD-05", kind: "wrong-value", at: "body.data.attributes.owners.worker" }]
  },
  {
    name: "credential-shows-its-worker-in-both-slots",
    rewrite: Rewrite.answers(
      read,
      Rewrite.mapJson((body) => Rewrite.put(body, `${owners}.applicant`, at(body, `${owners}.worker`)))
    ),
    kills: [{ rule: "CRD-05", kind: "wrong-value", at: "body.data.attributes.owners.applicant" }]
  },
  {
    name: "credential-create-keeps-one-of-two-owners",
    rewrite: Rewrite.requests(create, (request) => ({
      ...request,
      body: request.body.replace(/("worker":"\w+"),"applicant":"\w+"/, "$1")
    })),
    kills: [
      { rule: "CRD-05", kind: "wrong-value", at: "body.data.attributes.owners.applicant" },
      { rule: "CRD-06", kind: "wrong-value", at: "body.data" }
    ]
  }
]

/** Defects of creating and showing credentials. */
export const credentialMutants: ReadonlyArray<Mutant> = [...createMutants, ...idMutants, ...ownerMutants]
