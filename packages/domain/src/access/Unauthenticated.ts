import { Data } from "effect"

/** The bearer token is missing or invalid. The error does not say which (§7.1, 401). */
export class Unauthenticated extends Data.TaggedError("Unauthenticated") {}
