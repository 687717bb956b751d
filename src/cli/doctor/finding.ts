// One finding of the doctor: well, wrong, or worth knowing, with one sentence on what to do.

export interface DoctorFinding {
  readonly part: string;
  /** `note`: nothing is wrong, but something is not there that could be. */
  readonly state: "well" | "wrong" | "note";
  readonly says: string;
  /** What to do; null where nothing need be done. */
  readonly remedy: string | null;
}

export const well = (part: string, says: string): DoctorFinding => ({ part, state: "well", says, remedy: null });
export const wrong = (part: string, says: string, remedy: string): DoctorFinding => ({ part, state: "wrong", says, remedy });
export const noted = (part: string, says: string, remedy: string | null): DoctorFinding => ({ part, state: "note", says, remedy });
