import * as Answering from "../../Answering.ts"
import { type Mutant, mutant } from "../../Mutant.ts"
import { showingWhatWasRefused } from "../../seams/OwnershipSeams.ts"

const link = { method: "POST", path: /^\/credentials\/cred_[^/]+\/link$/ }
const unlink = { method: "POST", path: /^\/credentials\/cred_[^/]+\/unlink$/ }
const transfer = { method: "POST", path: /^\/credentials\/cred_[^/]+\/transfer$/ }
const linkOrTransfer = { method: "POST", path: /^\/credentials\/cred_[^/]+\/(link|transfer)$/ }

/** Defects of requests common to all ownership calls. */
export const ownershipRequestMutants: ReadonlyArray<Mutant> = [
  // Contradictory references.
  mutant("reference-goes-by-its-id-alone", ["OWN-06 status", "OWN-16 status"]).requests(linkOrTransfer, (request) => ({
    ...request,
    body: request.body
      .replaceAll(/"type":"\w+","id":"wkr_/g, '"type":"worker","id":"wkr_')
      .replaceAll(/"type":"\w+","id":"app_/g, '"type":"applicant","id":"app_')
  })),
  mutant("contradictory-reference-is-refused-and-kept", "OWN-06 changed at body.data.attributes.owners.applicant", {
    alsoKills: ["CRD-05"]
  }).rewrite(
    showingWhatWasRefused({ ...link, body: /"type":"applicant","id":"wkr_/ }, (body) => [
      "applicant",
      /wkr_\w+/.exec(body)?.[0] ?? null
    ])
  ),
  mutant("contradictory-reference-to-a-worker-is-a-no-op", "OWN-06 status").instead(
    { ...link, body: /"type":"worker","id":"app_/ },
    (request, serve) => serve({ ...request, method: "GET", url: request.url.replace(/\/link$/, ""), body: "" })
  ),
  // References with another type, or without a part.
  mutant("reference-of-any-other-type-is-a-worker", "OWN-16 status").requests(linkOrTransfer, (request) => ({
    ...request,
    body: request.body.replaceAll(/"type":"(?!worker|applicant)\w+"/g, '"type":"worker"')
  })),
  mutant("reference-without-a-type-is-a-worker", "OWN-16 status").requests(link, (request) => ({
    ...request,
    body: request.body.replace(/^\{"id"/, '{"type":"worker","id"')
  })),
  mutant("transfer-without-to-is-a-no-op", "OWN-16 status").instead(
    { ...transfer, body: /^(?!.*"to":)/ },
    (request, serve) => serve({ ...request, method: "GET", url: request.url.replace(/\/transfer$/, ""), body: "" })
  ),
  mutant(
    "reference-without-an-id-is-refused-and-empties-the-slot",
    "OWN-16 changed at body.data.attributes.owners.worker"
  ).rewrite(showingWhatWasRefused({ ...transfer, body: /"to":\{"type":"worker"\}/ }, () => ["worker", null])),
  // Calls on a credential that does not exist.
  mutant("link-of-an-unknown-credential-is-an-invalid-argument", "OWN-20 status").answers(
    { ...link, status: 404 },
    (answer) => Answering.refusal(answer, 400, "INVALID_ARGUMENT", "No credential has this id.")
  ),
  mutant("unlink-of-an-unknown-credential-is-a-no-op", "OWN-20 status").answers({ ...unlink, status: 404 }, (answer) =>
    Answering.success(answer, 200, null)
  ),
  mutant("transfer-of-an-unknown-credential-is-a-conflict", "OWN-20 status").answers(
    { ...transfer, status: 404 },
    (answer) => Answering.refusal(answer, 409, "OWNER_MISMATCH", "The credential has no owner.")
  )
]
