/** The secrets of a deployment's containers, each in a file that only their user can read. */
import { randomBytes } from "node:crypto"
import { chmodSync, chownSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { generate } from "@wcs/node-server/SelfSigned"
import { scratch } from "./Images.ts"

/** The user of the containers. */
const uid = 1000

const dayMillis = 86_400_000

/** Gives a file or folder to the containers' user. */
export const handOver = (path: string, mode: number): string => {
  const own = process.getuid?.()
  if (own !== 0 && own !== uid) throw new Error(`run as root or as user ${uid}: containers read files as that user`)
  chmodSync(path, mode)
  if (own === 0) chownSync(path, uid, uid)
  return path
}

export interface Secrets {
  /** PEM. */
  readonly certificate: { readonly cert: string; readonly key: string }
  /** Files of this machine, by their path in containers. */
  readonly mounts: Readonly<Record<string, string>>
  readonly password: string
  /** Texts that must not be in a log. */
  readonly values: ReadonlyArray<string>
}

/** Creates a certificate for these hosts, the master key and the database password. */
export const makeSecrets = async (hosts: ReadonlyArray<string>): Promise<Secrets> => {
  const certificate = await generate(hosts, Date.now() - dayMillis, Date.now() + dayMillis)
  const [masterKey, password] = [randomBytes(32).toString("hex"), randomBytes(24).toString("hex")]
  const folder = scratch()
  const contents = { master_key: masterKey, "tls-cert.pem": certificate.cert, "tls-key.pem": certificate.key }
  const mounts = Object.entries(contents).map(([name, content]) => {
    writeFileSync(join(folder, name), content)
    return [`/run/secrets/${name}`, handOver(join(folder, name), 0o400)] as const
  })
  const [, keyLine = ""] = certificate.key.split("\n")
  return { certificate, mounts: Object.fromEntries(mounts), password, values: [masterKey, password, keyLine] }
}
