import type { RuleId } from "@wcs/conformance/catalogue/Catalogue"
import * as Answering from "../../Answering.ts"
import type { Kill, Mutant } from "../../Mutant.ts"
import { showingWhatWasRefused } from "../../seams/OwnershipSeams.ts"
import * as Rewrite from "../../seams/Rewrite.ts"

const link = { method: "POST", path: /^\/credentials\/cred_[^/]+\/link$/ }
const unlink = { method: "POST", path: /^\/credentials\/cred_[^/]+\/unlink$/ }
const transfer = { method: "POST", path: /^\/credentials\/cred_[^/]+\/transfer$/ }
const linkOrTransfer = { method: "POST", path: /^\/credentials\/cred_[^/]+\/(link|transfer)$/ }

const statusOf = (rule: RuleId): Kill => ({ rule, kind: "status", at: "status" })

/** Contradictory references. */
const contradictionMutants: ReadonlyArray<Mutant> = [
  {
    name: "reference-goes-by-its-id-alone",
    rewrite: Rewrite.requests(linkOrTransfer, (request) => ({
      ...request,
      body: request.body
        .replaceAll(/"type":"\w+","id":"wkr_/g, '"type":"worker","id":"wkr_')
        .replaceAll(/"type":"\w+","id":"app_/g, '"type":"applicant","id":"app_')
    })),
    kills: [statusOf("OWN-06"), statusOf("OWN-16")]
  },
  {
    name: "contradictory-reference-is-refused-and-kept",
    rewrite: showingWhatWasRefused({ ...link, body: /"type":"applicant","id":"wkr_/ }, (body) => [
      "applicant",
      /wkr_\w+/.exec(body)?.[0] ?? null
    ]),
    kills: [{ rule: "OWN-06", kind: "changed", at: "body.data.attributes.owners.applicant" }]
  },
  {
    name: "contradictory-reference-to-a-worker-is-a-no-op",
    rewrite: Rewrite.instead({ ...link, body: /"type":"worker","id":"app_/ }, (request, serve) =>
      serve({ ...request, method: "GET", url: request.url.replace(/\/link$/, ""), body: "" })
    ),
    kills: [statusOf("OWN-06")]
  }
]

/** References with another type, or without a part. */
const referenceMutants: ReadonlyArray<Mutant> = [
  {
    name: "reference-of-any-other-type-is-a-worker",
    rewrite: Rewrite.requests(linkOrTransfer, (request) => ({
      ...request,
      body: request.body.replaceAll(/"type":"(?!worker|applicant)\w+"/g, '"type":"worker"')
    })),
    kills: [statusOf("OWN-16")]
  },
  {
    name: "reference-without-a-type-is-a-worker",
    rewrite: Rewrite.requests(link, (request) => ({
      ...request,
      body: request.body.replace(/^\{"id"/, '{"type":"worker","id"')
    })),
    kills: [statusOf("OWN-16")]
  },
  {
    name: "transfer-without-to-is-a-no-op",
    rewrite: Rewrite.instead({ ...transfer, body: /^(?!.*"to":)/ }, (request, serve) =>
      serve({ ...request, method: "GET", url: request.url.replace(/\/transfer$/, ""), body: "" })
    ),
    kills: [statusOf("OWN-16")]
  },
  {
    name: "reference-without-an-id-is-refused-and-empties-the-slot",
    rewrite: showingWhatWasRefused({ ...transfer, body: /"to":\{"type":"worker"\}/ }, () => ["worker", null]),
    kills: [{ rule: "OWN-16", kind: "changed", at: "body.data.attributes.owners.worker" }]
  }
]

/** Calls on a credential that does not exist. */
const unknownMutants: ReadonlyArray<Mutant> = [
  {
    name: "link-of-an-unknown-credential-is-an-invalid-argument",
    rewrite: Rewrite.answers({ ...link, status: 404 }, (answer) =>
      Answering.refusal(answer, 400, "INVALID_ARGUMENT", "No credential has this id.")
    ),
    kills: [statusOf("OWN-20")]
  },
  {
    name: "unlink-of-an-unknown-credential-is-a-no-op",
    rewrite: Rewrite.answers({ ...unlink, status: 404 }, (answer) => Answering.success(answer, 200, null)),
    kills: [statusOf("OWN-20")]
  },
  {
    name: "transfer-of-an-unknown-credential-is-a-conflict",
    rewrite: Rewrite.answers({ ...transfer, status: 404 }, (answer) =>
      Answering.refusal(answer, 409, "OWNER_MISMATCH", "The credential has no owner.")
    ),
    kills: [statusOf("OWN-20")]
  }
]

/** Defects of requests common to all ownership calls. */
export const ownershipRequestMutants: ReadonlyArray<Mutant> = [
  ...contradictionMutants,
  ...referenceMutants,
  ...unknownMutants
]
