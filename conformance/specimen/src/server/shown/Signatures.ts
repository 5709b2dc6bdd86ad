import { createHmac } from "node:crypto"
import type { World } from "../World.ts"

const hexMac = (algorithm: string, secret: string, signed: string): string =>
  createHmac(algorithm, secret).update(signed).digest("hex")

/** The header with the signature of a delivery, and its value. `time` is in Unix seconds. */
export const signatureOf = (
  { chosen }: World,
  secret: string,
  time: string,
  body: string
): readonly [header: string, value: string] => {
  const scheme = chosen("signature of a delivery", "time and body")
  if (scheme === "body") return ["x-hub-signature-256", `sha256=${hexMac("sha256", secret, body)}`]
  const mac = hexMac("sha512", secret, `${time}.${body}`)
  return scheme === "several"
    ? ["service-signature", `t=${time},v0=${mac.slice(0, 64).toUpperCase()},v1=${"0".repeat(128)},v1=${mac}`]
    : ["x-signature", `t=${time};h=${mac}`]
}
