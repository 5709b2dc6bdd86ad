import { Context, type Effect } from "effect"

/** Reads DNS records, by which a domain's owner proves ownership. */
export class DomainProof extends Context.Service<
  DomainProof,
  {
    /**
     * Returns the TXT records of a name, each joined to one text. Empty if there are none or if DNS does not respond.
     */
    readonly textsOf: (name: string) => Effect.Effect<ReadonlyArray<string>>
  }
>()("@wcs/domain/DomainProof") {}
