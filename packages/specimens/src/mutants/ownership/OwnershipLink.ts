import { at } from "@wcs/conformance/text/Json"
import { AlreadyLinked } from "@wcs/domain/ownership/Ownership"
import { ErrorCodes } from "@wcs/domain/service/Refusals"
import { Effect } from "effect"
import * as Answering from "../../Answering.ts"
import { type Mutant, mutant } from "../../Mutant.ts"
import {
  because,
  deciding,
  into,
  losing,
  otherSlot,
  withSlot,
  writingWhatIsRefused
} from "../../seams/OwnershipSeams.ts"
import * as Rewrite from "../../seams/Rewrite.ts"
import * as Seams from "../../seams/Seams.ts"

const link = { method: "POST", path: /^\/credentials\/cred_[^/]+\/link$/ }

/** The kills of a defect in every link's status. */
const everyLink = ["OWN-01 status", "OWN-02 status", "OWN-03 status"] as const

/** Refuses a link, with the headers of a read of the credential. */
const refusing = (where: Rewrite.Where, status: number, code: string) =>
  Rewrite.instead({ ...link, ...where }, (request, serve) =>
    Effect.map(serve({ ...request, method: "GET", url: request.url.replace(/\/link$/, ""), body: "" }), (answer) =>
      Answering.refusal(answer, status, code, "The link is refused.")
    )
  )

/** Defects of links of one credential. */
export const ownershipLinkMutants: ReadonlyArray<Mutant> = [
  // Links into an empty slot.
  mutant("link-answers-201", everyLink).answers({ ...link, status: 200 }, (answer) => ({ ...answer, status: 201 })),
  mutant("link-of-a-worker-is-lost", "OWN-01 wrong-value at body.data.attributes.owners.worker").stores(
    losing(({ action, changes }) => action === "link" && [...changes.values()].some(({ worker }) => worker))
  ),
  mutant(
    "link-of-a-worker-supersedes-the-applicant",
    "OWN-01 wrong-value at body.data.attributes.owners.applicant"
  ).rules(
    deciding("Link", (owners, { to }) =>
      to.type === "worker" && owners.worker === null ? into({ worker: to.id, applicant: null }) : undefined
    )
  ),
  mutant(
    "link-of-an-applicant-supersedes-the-worker",
    "OWN-02 wrong-value at body.data.attributes.owners.worker"
  ).rules(
    deciding("Link", (owners, { to }) =>
      to.type === "applicant" && owners.applicant === null ? into({ worker: null, applicant: to.id }) : undefined
    )
  ),
  mutant("link-beside-another-owner-is-lost", "OWN-02 wrong-value at body.data.attributes.owners.applicant").stores(
    losing(({ action, found }) => action === "link" && found.some(({ owners }) => owners.worker !== null))
  ),
  // Valid links that are refused.
  mutant("link-of-a-worker-is-an-invalid-argument", ["OWN-01 status", "OWN-03 status"]).rewrite(
    refusing({ body: /wkr_/ }, 400, "INVALID_ARGUMENT")
  ),
  mutant("link-of-an-applicant-is-unprocessable", "OWN-02 status").rewrite(
    refusing({ body: /app_/ }, 422, "UNPROCESSABLE")
  ),
  mutant("link-of-the-holder-is-an-invalid-argument", "OWN-03 status").instead(
    { ...link, body: /wkr_/ },
    (request, serve) => {
      const reading = { ...request, method: "GET", url: request.url.replace(/\/link$/, ""), body: "" }
      const [id = "?"] = /wkr_\w+/.exec(request.body) ?? []
      return Effect.flatMap(serve(reading), (answer) =>
        at(answer.json, "data.attributes.owners.worker") === id
          ? Effect.succeed(Answering.refusal(answer, 400, "INVALID_ARGUMENT", "The owner is already linked."))
          : serve(request)
      )
    }
  ),
  mutant("link-is-forbidden-to-everybody", everyLink).rewrite(refusing({}, 403, "FORBIDDEN")),
  mutant("link-breaks-down", everyLink).rewrite(refusing({}, 500, "INTERNAL")),
  // Links of the current owner.
  mutant("link-of-the-holder-is-a-conflict", "OWN-03 status", { alsoKills: ["OWN-15"] }).rules(
    deciding("Link", (owners, { to }) =>
      owners[to.type] === to.id
        ? because(new AlreadyLinked({ slot: to.type, holder: to.id, advice: "transfer" }))
        : undefined
    )
  ),
  mutant("link-of-the-holder-takes-it-out", "OWN-03 changed at body.data.attributes.owners.worker", {
    alsoKills: ["OWN-15"]
  }).rules(
    deciding("Link", (owners, { to }) =>
      owners[to.type] === to.id ? into(withSlot(owners, to.type, null)) : undefined
    )
  ),
  mutant("link-of-the-holding-applicant-is-a-conflict", "OWN-15 status").rules(
    deciding("Link", (owners, { to }) =>
      to.type === "applicant" && owners.applicant === to.id
        ? because(new AlreadyLinked({ slot: "applicant", holder: to.id, advice: "transfer" }))
        : undefined
    )
  ),
  mutant(
    "link-of-the-holding-applicant-clears-the-worker",
    "OWN-15 changed at body.data.attributes.owners.worker"
  ).rules(
    deciding("Link", (owners, { to }) =>
      to.type === "applicant" && owners.applicant === to.id
        ? into(withSlot(owners, otherSlot(to.type), null))
        : undefined
    )
  ),
  // Links of another owner into a full slot.
  mutant("link-overwrites-the-holder", "OWN-04 status").rules(
    deciding("Link", (owners, { to }) => into(withSlot(owners, to.type, to.id)))
  ),
  mutant("link-overwrites-an-applicant", "OWN-04 status").rules(
    deciding("Link", (owners, { to }) => (to.type === "applicant" ? into({ ...owners, applicant: to.id }) : undefined))
  ),
  mutant("link-refuses-and-overwrites-the-holder", "OWN-04 changed at body.data.attributes.owners.worker").stores(
    writingWhatIsRefused((refusal, owners, entering) =>
      refusal instanceof AlreadyLinked && entering !== undefined
        ? withSlot(owners, entering.type, entering.id)
        : undefined
    )
  ),
  mutant("link-conflict-has-the-code-of-transfer", "OWN-04 wrong-value at body.error.code").answers(
    { ...link, status: 409 },
    Rewrite.field("error.code", "OWNER_MISMATCH")
  ),
  mutant("link-conflict-is-an-invalid-argument", "OWN-04 status").rules(
    Seams.rules(ErrorCodes, ({ codeOf }) => ({
      codeOf: (tag) => (tag === "AlreadyLinked" ? "INVALID_ARGUMENT" : codeOf(tag))
    }))
  ),
  mutant("link-conflict-gives-no-advice", "OWN-05 wrong-value at body.error.message").answers(
    { ...link, status: 409 },
    Rewrite.field("error.message", "The slot has another owner.")
  )
]
