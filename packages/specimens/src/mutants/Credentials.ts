import { at, parse } from "@wcs/conformance/text/Json"
import * as Answering from "../Answering.ts"
import { type Mutant, mutant } from "../Mutant.ts"
import { type Key, remembering, secondTime, withPrefix } from "../seams/Creates.ts"
import * as Rewrite from "../seams/Rewrite.ts"

const create = { method: "POST", path: /^\/credentials$/ }
const read = { method: "GET", path: /^\/credentials\/cred_[^/]+$/, status: 200 }
const owners = "data.attributes.owners"

const ownersIn: Key = ({ body }) => JSON.stringify(at(parse(body), "attributes.owners") ?? null)
const wordsOf: Key = ({ body }) => body

/** Defects of creating and showing credentials. */
export const credentialMutants: ReadonlyArray<Mutant> = [
  // Answers to creates.
  mutant("credential-create-answers-200", "CRD-01 status").answers({ ...create, status: 201 }, (answer) => ({
    ...answer,
    status: 200
  })),
  mutant("credential-create-has-no-location", "CRD-01 missing at header location").answers(
    { ...create, status: 201 },
    (answer) => Rewrite.withHeader(answer, "Location", undefined)
  ),
  mutant("credential-create-has-an-empty-location", "CRD-01 wrong-value at header location").answers(
    { ...create, status: 201 },
    (answer) => Rewrite.withHeader(answer, "Location", "")
  ),
  mutant("credential-create-has-no-correlation-id", "CRD-02 missing at body.meta.correlationId").answers(
    { ...create, status: 201 },
    Rewrite.field("meta.correlationId", undefined)
  ),
  mutant("credential-create-has-null-for-a-correlation-id", "CRD-02 wrong-type at body.meta.correlationId").answers(
    { ...create, status: 201 },
    Rewrite.field("meta.correlationId", null)
  ), // Ids of created credentials.
  mutant("credential-ids-begin-otherwise", "CRD-03 wrong-value at body.data.id").rewrite(
    withPrefix("cred_", "credential-")
  ),
  mutant(
    "credential-create-answers-with-what-the-owner-has",
    ["CRD-03 repeated at body.data.id", "CRD-08 repeated at body.data.id"],
    { alsoKills: ["CRD-01"] }
  ).rewrite(remembering(create, ownersIn)),
  mutant("credential-create-said-twice-answers-with-the-first", "CRD-08 repeated at body.data.id", {
    alsoKills: ["CRD-01", "CRD-03"]
  }).rewrite(remembering(create, wordsOf)),
  mutant("credential-create-said-twice-breaks-down", "CRD-08 status").rewrite(
    secondTime(create, wordsOf, (answer) => Answering.refusal(answer, 500, "INTERNAL", "Internal error."))
  ),
  mutant("applicant-ids-begin-otherwise", "CRD-10 wrong-value at body.data.id").rewrite(
    withPrefix("app_", "applicant-")
  ), // Owners in reads.
  mutant("credential-leaves-an-empty-slot-out", "CRD-04 missing at body.data.attributes.owners.applicant").answers(
    read,
    Rewrite.mapJson((body) =>
      at(body, `${owners}.applicant`) === null ? Rewrite.put(body, `${owners}.applicant`, undefined) : body
    )
  ),
  mutant("credential-shows-its-owners-beside-its-attributes", "CRD-04 missing at body.data.attributes.owners", {
    alsoKills: ["CRD-05"]
  }).answers(
    read,
    Rewrite.mapJson((body) => Rewrite.put(Rewrite.put(body, "data.owners", at(body, owners)), owners, undefined))
  ),
  mutant("credential-read-shows-no-id", "CRD-04 missing at body.data.id").answers(
    read,
    Rewrite.field("data.id", undefined)
  ),
  mutant("credential-shows-a-list-in-a-slot", "CRD-05 wrong-value at body.data.attributes.owners.worker").answers(
    read,
    Rewrite.mapJson((body) => {
      const worker = at(body, `${owners}.worker`) ?? null
      return Rewrite.put(body, `${owners}.worker`, worker === null ? [] : [worker])
    })
  ),
  mutant(
    "credential-shows-its-worker-in-both-slots",
    "CRD-05 wrong-value at body.data.attributes.owners.applicant"
  ).answers(
    read,
    Rewrite.mapJson((body) => Rewrite.put(body, `${owners}.applicant`, at(body, `${owners}.worker`)))
  ),
  mutant("credential-create-keeps-one-of-two-owners", [
    "CRD-05 wrong-value at body.data.attributes.owners.applicant",
    "CRD-06 wrong-value at body.data"
  ]).requests(create, (request) => ({
    ...request,
    body: request.body.replace(/("worker":"\w+"),"applicant":"\w+"/, "$1")
  }))
]
