import type { Option } from "effect"

/** The ports of a server. */
export interface Ports {
  readonly port: number
  readonly plainPort: Option.Option<number>
}
