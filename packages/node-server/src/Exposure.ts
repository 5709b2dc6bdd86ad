/** The owner and mode of a file or directory, as `stat` returns them. */
export interface Permissions {
  readonly mode: number
  readonly uid: number
  readonly gid: number
}

/** A process: its user, and all groups that it is in, such as the `fsGroup` of Kubernetes. */
export interface Identity {
  readonly uid: number
  readonly gids: ReadonlyArray<number>
}

/** Modes of new files and directories with secrets: access only for the owner. */
export const privateModes = { file: 0o600, directory: 0o700 } as const

const superuser = 0
const groupMask = 0o070
const othersMask = 0o007

/** The identity of this process. Undefined on systems without user ids. */
const ownIdentity = (): Identity | undefined =>
  process.getuid === undefined || process.getgid === undefined || process.getgroups === undefined
    ? undefined
    : { uid: process.getuid(), gids: [process.getgid(), ...process.getgroups()] }

/** Formats owner and mode for a message. */
export const showPermissions = ({ gid, mode, uid }: Permissions): string =>
  `mode ${(mode & 0o7777).toString(8).padStart(4, "0")}, owner ${uid}, group ${gid}`

/** Formats the user and the groups of this process for a message. */
export const showOwnIdentity = (): string => {
  const { gids, uid } = ownIdentity() ?? { uid: "unknown", gids: [] }
  return `user ${uid}, groups ${[...new Set(gids)].join(", ")}`
}

/** Who can access a file or directory besides this process, its groups and root, and how to change that. */
export interface Exposure {
  readonly to: string
  /** A command. */
  readonly remedy: string
}

/**
 * Returns who else can access a secret file or directory, if anybody (threat 47). Permissions of a group count only if
 * the process is not in the group. The owner counts unless it is this process or root: it can change the mode. For root,
 * the owner of a file does not count, such as of a mounted one. The owner of a directory does: it can replace the files.
 */
export const exposureOf = (
  path: string,
  permissions: Permissions,
  kind: "file" | "directory",
  self: Identity | undefined = ownIdentity()
): Exposure | undefined => {
  const { gid, mode, uid } = permissions
  const give = `chown ${self?.uid} ${path}`
  const isTrustedOwner = kind === "file" && self?.uid === superuser
  const isForeign = self !== undefined && uid !== self.uid && !isTrustedOwner
  const close = `${isForeign ? `${give} && ` : ""}chmod ${privateModes[kind].toString(8)} ${path}`
  if ((mode & othersMask) !== 0) return { to: "other users of this machine", remedy: close }
  if (self === undefined) return undefined
  if ((mode & groupMask) !== 0 && !self.gids.includes(gid)) return { to: `the group ${gid}`, remedy: close }
  return isForeign && uid !== superuser ? { to: `its owner, the user ${uid}`, remedy: give } : undefined
}
