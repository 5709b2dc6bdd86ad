import { type Choice, choice, choicesOf } from "./Rows.ts"

/** Choices about ENV, RID and TRN: the form of responses, of refusals, and of what is in front of the server. */
export const answerChoices: ReadonlyArray<Choice> = [
  choice("letter case of an echo", "other", ["RID-04", "RID-05", "RID-08"]),
  // the server's own: none
  ...choicesOf("X-Request-Id of a success", ["the same", "another"], ["SIL-14"]),
  choice("media type", "application/vnd.api+json", ["SIL-32"]),
  choice("further fields", true, ["LEG-02", "SIL-32"]),
  choice("fields that are shown", "the fewest", ["SIL-14", "SIL-32"]),
  choice("response to a create", "the id", ["ENV-01", "SIL-32"]),
  choice("response to an update", "nothing", ["ENV-16"]),
  choice("response to an ownership call", "nothing", ["OWN-01", "OWN-07", "OWN-11"]),
  // the server's own: an absolute URL that leads to the resource
  ...choicesOf("Location", ["below the root", "another surface"], ["SIL-29"]),
  // the server's own: 400 INVALID_ARGUMENT and 415
  choice("refusal of a malformed id", "400 INVALID_URN", ["ENV-08"]),
  choice("refusal of another media type", "400 BAD_REQUEST", ["TRN-08"]),
  // the server's own: 426, and 301 on the legacy surface
  ...choicesOf("plain HTTP", ["redirected", "nobody listens"], ["SIL-03", "TRN-02"]),
  choice("answers come late", true, ["OWN-17", "OWN-18", "OWN-19", "OWN-23"], { changesOnly: "time" }),
  // the server's own: 404 and 405 in the envelope, after authentication
  ...choicesOf("unknown paths", ["a page", "nothing"], ["SIL-15"]),
  choice("a gateway in front", "refuses what is too long", ["SIL-21"]),
  choice("long URLs", "414 after authentication", ["SIL-21", "RTL-01"]),
  // a run that only reads: its control must hold for PRV-08 too
  choice("ceiling of the run", "read", ["PRV-08"], {
    profile: (profile) => ({ ...profile, run: { ...profile.run, ceiling: "read" } }),
    blocks: "any",
    isAlone: true
  })
]
