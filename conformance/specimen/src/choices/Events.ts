import type { Profile } from "@wcs/conformance/profile/Profile"
import { type Choice, choice, choicesOf, withoutNeed } from "./Rows.ts"

const signed =
  (signature: NonNullable<Profile["signature"]>) =>
  (profile: Profile): Profile => ({ ...profile, signature })

const secretsAt =
  (signingSecret: NonNullable<Profile["signingSecret"]>) =>
  (profile: Profile): Profile => ({ ...profile, signingSecret })

const withoutPosition = ({ signingSecret: _, ...profile }: Profile): Profile =>
  withoutNeed(profile, "position of the signing secret")

const verifications: ReadonlyArray<Choice> = [
  // the server's own: in the envelope
  ...choicesOf("response to a verification", ["flat", "both"], ["SIL-05"]),
  choice("status of a verification", 202, ["VER-01", "VER-07"]),
  choice("words of a verification", "others", ["SIL-20", "SIL-26", "VER-02"]),
  // the server's own: 422
  choice("refusal of a literal correlation id", "400 INVALID_ARGUMENT", ["SIL-02"]),
  choice("event of a verification without forceRefresh", false, ["EVT-01", "VER-07", "SIL-25"])
]

const deliveries: ReadonlyArray<Choice> = [
  // the server's own: `t=…;h=…`, SHA-512 over the time and the body
  choice("signature of a delivery", "body", ["SIL-12"], {
    profile: signed({
      header: "x-hub-signature-256",
      form: "sha256={{signature}}",
      algorithm: "sha256",
      encoding: "hex",
      signed: "{{body}}"
    })
  }),
  choice("signature of a delivery", "several", ["SIL-12"], {
    profile: signed({
      header: "Service-Signature",
      form: "t={{timestamp}},v1={{signature}}",
      algorithm: "sha512",
      encoding: "hex",
      signed: "{{timestamp}}.{{body}}"
    })
  }),
  // the server's own: one id for all webhooks
  choice("delivery id", "of the webhook", ["SIL-25", "EVT-03"]),
  ...choicesOf("form of a delivery", ["headers", "form"], ["SIL-12", "EVT-15"]),
  choice("method of a delivery", "PUT", ["SIL-12"]),
  choice("secret that signs after a rotation", "the first one", ["EVT-10"], { changesOnly: "secrets" }),
  choice("every delivery is sent twice", true, ["EVT-04", "EVT-05"]),
  choice("events of other kinds", true, ["EVT-01", "EVT-15"])
]

const secrets: ReadonlyArray<Choice> = [
  // the server's own: `data.signing.secret` after a create, and `data.secret` after a rotation
  choice("place of a new webhook's secret", "hmac.value", ["EVT-08", "EVT-09"], {
    profile: secretsAt({ create: "data.hmac.value", rotate: "data.hmac.value" })
  }),
  choice("place of a new webhook's secret", "none", ["EVT-08", "EVT-09", "EVT-10"], {
    profile: secretsAt({ rotate: "data.secret" })
  }),
  choice("response to a rotation", "secret", ["EVT-08"]),
  choice("a secret in reads of a webhook", "masked", ["EVT-09"], { profile: withoutPosition })
]

/** Choices about VER and EVT. */
export const eventChoices: ReadonlyArray<Choice> = [...verifications, ...deliveries, ...secrets]
