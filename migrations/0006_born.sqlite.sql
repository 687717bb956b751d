-- When the granted directory was made: its inode may be given to another one. Null where nobody could tell, and in what was granted before.
ALTER TABLE grants ADD COLUMN born REAL;
