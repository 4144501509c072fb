export const replay = async (_file: string, _speed: number, _faults: string): Promise<void> => {};
