import { Context, type Effect } from "effect"

/** Reads the DNS, where the owner of a domain proves that they own it. */
export class DomainProof extends Context.Service<
  DomainProof,
  {
    /** The TXT records of a name, each joined to one text. Empty if there are none, or if the DNS does not answer. */
    readonly textsOf: (name: string) => Effect.Effect<ReadonlyArray<string>>
  }
>()("@wcs/domain/DomainProof") {}
