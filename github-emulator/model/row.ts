export interface Row {
  readonly id: number;
}

export interface DatedRow extends Row {
  readonly createdAt: string;
  updatedAt: string;
}
