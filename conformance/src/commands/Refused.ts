import { Data } from "effect"

/** The command line or the profile is invalid. Nothing was sent. */
export class Refused extends Data.TaggedError("Refused")<{ readonly message: string }> {}
