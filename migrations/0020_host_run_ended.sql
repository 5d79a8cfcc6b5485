-- When the run was over, or GitHub refused to start it. From then on its own branch is deleted. Null: neither is known.
alter table host_run add column ended_at timestamptz;
